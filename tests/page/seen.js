// Two functions: of the page, what is to be seen in its picture; of a picture, what of that is not.

// Each is {what, x, y, width, height, colour} in pixels of the whole page; without a colour it is
// text, of which something is to be seen.
function toBeSeen() {
  const wanted = [];
  const add = (element, what, colour) => {
    const box = element.getBoundingClientRect();
    const edge = 3;  // a line has no height of its own
    wanted.push({what, colour, x: box.x + scrollX - edge, y: box.y + scrollY - edge,
                 width: box.width + 2 * edge, height: box.height + 2 * edge});
  };
  // What a wide table has beyond its edge is reached with the keys, and stands in no picture.
  const isInSight = (element) => {
    const frame = element.closest('.wide')?.getBoundingClientRect();
    return !frame || element.getBoundingClientRect().right <= frame.right + 1;
  };
  const named = (element) => `${element.tagName} ${element.getAttribute('class') ?? ''}`;
  for (const element of document.querySelectorAll('.verdict, .notice'))
    add(element, named(element), getComputedStyle(element).borderLeftColor);
  for (const element of document.querySelectorAll('svg line, svg circle'))
    add(element, named(element), getComputedStyle(element).stroke);
  for (const element of document.querySelectorAll('.login input:not([hidden])'))
    add(element, named(element), getComputedStyle(element).borderTopColor);
  for (const element of document.querySelectorAll('.login button'))
    add(element, named(element), getComputedStyle(element).backgroundColor);
  for (const element of document.querySelectorAll('h1, h2, dd, th, td, label, button, .login p, .verdict p, .faults p, .faults .tag, summary span, svg text'))
    if (element.textContent.trim() !== '' && element.checkVisibility() &&
        element.getBoundingClientRect().width > 1 && getComputedStyle(element.closest('thead') ?? element).position !== 'absolute')
      if (isInSight(element)) add(element, `${named(element)} "${element.textContent.trim().slice(0, 40)}"`, null);
  return {wanted, wide: document.documentElement.scrollWidth, high: document.documentElement.scrollHeight};
}

async function notSeen(png, wanted) {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.drawImage(picture, 0, 0);
  const missing = [];
  for (const {what, colour, x, y, width, height} of wanted) {
    const left = Math.max(0, Math.floor(x)), top = Math.max(0, Math.floor(y));
    const right = Math.min(picture.width, Math.ceil(x + width));
    const bottom = Math.min(picture.height, Math.ceil(y + height));
    if (right <= left || bottom <= top) {
      missing.push(`${what}: outside of the picture`);
      continue;
    }
    const {data} = context.getImageData(left, top, right - left, bottom - top);
    const near = (at, other) => [0, 1, 2].every((i) => Math.abs(data[at + i] - other[i]) <= 24);
    const seen = colour ? colour.match(/\d+/g).slice(0, 3).map(Number) : null;
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
      found += seen ? near(at, seen) : !near(at, [data[0], data[1], data[2]]);
    if (found < 4) missing.push(`${what}: ${colour ? 'not in its colour ' + colour : 'no text'}`);
  }
  const {data} = context.getImageData(0, 0, 1, 1);
  return {missing, corner: [...data.slice(0, 3)]};
}
