"""Virtual Sparks: QEMU machines with Debian's stock kernel, wired by cables that can be pulled."""
