// Who is let in, without sockets. tests/process/web_token_test.cpp has the same over a network.

#include "helpers/web/page_access.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"

namespace spark::helpers {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kToken = "a+token/of=24~letters!XY";
constexpr std::string_view kEncoded = "a%2Btoken%2fof%3D24~letters!XY";

std::string header(const Response& response, std::string_view name) {
  const auto found =
      std::ranges::find(response.headers, name, &std::pair<std::string, std::string>::first);
  return found == response.headers.end() ? "" : found->second;
}

class PageAccessTest : public testing::Test {
 protected:
  PageAccessTest() { token_.digest = TokenDigest::of(kToken); }

  [[nodiscard]] static Request get(std::string_view path, std::string_view from = "192.0.2.9") {
    return {.path = path, .from = *IpAddress::parse(from), .host = "192.0.2.11:9842"};
  }
  [[nodiscard]] static Request form(std::string_view body) {
    auto request = get("/login");
    request.is_form = true;
    request.type = "application/x-www-form-urlencoded";
    request.body = body;
    return request;
  }
  /// 200: the site answers.
  int status(const Request& request) {
    const auto refused = access_.answer(request, token_, now_);
    return refused ? refused->status : 200;
  }
  Response answer(const Request& request) {
    return access_.answer(request, token_, now_).value_or(Response{});
  }
  int with_bearer(std::string_view authorization, std::string_view path = "/metrics",
                  std::string_view from = "192.0.2.9") {
    auto request = get(path, from);
    request.authorization = authorization;
    return status(request);
  }
  int with_cookie(std::string_view cookie, std::string_view path = "/") {
    auto request = get(path);
    request.cookie = cookie;
    return status(request);
  }
  [[nodiscard]] static std::string right_bearer() { return fmt::format("Bearer {}", kToken); }
  [[nodiscard]] static std::string right_cookie() {
    return "spark_page_9842=" + TokenDigest::of(kToken).text();
  }

  PageAccess access_;
  PageToken token_;
  WrongTries::Clock::time_point now_{1h};
};

TEST_F(PageAccessTest, AStrangerHasTheStyleAndTheHealthAlone) {
  EXPECT_EQ(status(get("/style.css")), 200);
  EXPECT_EQ(status(get("/healthz")), 200);
  for (const auto* path : {"/", "/still", "/login", "/status.json", "/metrics", "/readyz", "/x"}) {
    const auto refused = answer(get(path));
    EXPECT_EQ(refused.status, 401) << path;
    EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer") << path;
    EXPECT_EQ(header(refused, "Refresh"), "") << path;
  }
  EXPECT_EQ(health_alone({.status = 503, .body = "unknown: '/run/x'"}).body, "unknown\n");
  EXPECT_EQ(health_alone({.status = 200, .body = "ok\n"}).body, "ok\n");
}

TEST_F(PageAccessTest, PeopleGetAFormAndProgramsALine) {
  const auto page = answer(get("/"));
  EXPECT_THAT(page.type, StartsWith("text/html"));
  EXPECT_THAT(page.body, AllOf(HasSubstr(R"(<form method="post" action="/login">)"),
                               HasSubstr(R"(<label for="token">)"), HasSubstr(R"(id="token")"),
                               HasSubstr(R"(autocomplete="username" hidden>)"),
                               HasSubstr(R"(<html lang="en">)"), Not(HasSubstr("<script")),
                               Not(HasSubstr("alert"))));
  EXPECT_THAT(header(page, "Content-Security-Policy"),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("form-action 'self'")));
  EXPECT_EQ(header(page, "Referrer-Policy"), "same-origin");
  const auto line = answer(get("/metrics"));
  EXPECT_THAT(line.type, StartsWith("text/plain"));
  EXPECT_EQ(line.body, "it needs the token\n");
}

TEST_F(PageAccessTest, TheTokenAsBearerLetsIn) {
  for (const auto* scheme : {"Bearer ", "bearer ", "BEARER   "}) {
    EXPECT_EQ(with_bearer(scheme + std::string(kToken)), 200) << scheme;
  }
  for (const auto* path : {"/", "/status.json", "/metrics", "/readyz"}) {
    EXPECT_EQ(with_bearer(right_bearer(), path), 200) << path;
  }
}

TEST_F(PageAccessTest, AnythingElseAsBearerDoesNot) {
  std::string other(kToken);
  other.back() = 'Z';
  int address = 1;
  for (const auto& wrong : {std::string(), std::string("x"), other, std::string(kToken) + "x",
                            std::string(kToken) + " ", std::string(kToken.substr(1)),
                            TokenDigest::of(kToken).text(), std::string(3000, 'x')}) {
    EXPECT_EQ(with_bearer("Bearer " + wrong, "/metrics", fmt::format("192.0.2.{}", address++)), 401)
        << wrong;
  }
  EXPECT_EQ(with_bearer("Bearer", "/metrics", "192.0.2.99"), 401);
}

TEST_F(PageAccessTest, AnotherSchemeIsNoTry) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(with_bearer("Basic " + std::string(kToken)), 401);
    EXPECT_EQ(with_bearer("Bearerx " + std::string(kToken)), 401);
  }
  EXPECT_EQ(with_bearer(right_bearer()), 200);
}

TEST_F(PageAccessTest, TheFormGivesACookieThatLetsInAndIsNotTheToken) {
  for (const auto& body :
       {"token=" + std::string(kEncoded),
        "user=spark-reconcile&token=+" + std::string(kEncoded) + "%0D%0A&token=other"}) {
    const auto let_in = answer(form(body));
    EXPECT_EQ(let_in.status, 303) << body;
    EXPECT_EQ(header(let_in, "Location"), "/");
    const auto cookie = header(let_in, "Set-Cookie");
    EXPECT_THAT(cookie, AllOf(StartsWith("spark_page_9842="), Not(HasSubstr("token")),
                              HasSubstr("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000")));
    const auto pair = cookie.substr(0, cookie.find(';'));
    EXPECT_EQ(pair, right_cookie());
    EXPECT_EQ(with_cookie(pair), 200);
    EXPECT_EQ(with_cookie("a=b; " + pair + "; c=d", "/status.json"), 200);
  }
  auto back = get("/login");
  const auto cookie = right_cookie();
  back.cookie = cookie;
  EXPECT_EQ(answer(back).status, 303) << "who is let in already";
}

TEST_F(PageAccessTest, TheCookieIsThatHmac) {
  // printf 'spark-web cookie v1' | openssl dgst -sha256 -hmac 'a+token/of=24~letters!XY'
  EXPECT_EQ(TokenDigest::of(kToken).text(),
            "8c3bd056238daea17fa3e409f8e9ad6d5876d53dc8af7b8be27fe2c816522517");
}

TEST_F(PageAccessTest, AnotherCookieDoesNotAndIsForgotten) {
  auto request = get("/");
  for (const auto& cookie :
       {"spark_page_9842=" + TokenDigest::of("0123456789abcdef").text(),
        std::string("spark_page_9842="), "spark_page_9842=" + std::string(kToken),
        "spark_page_9842=" + std::string(64, 'x')}) {
    request.cookie = cookie;
    const auto refused = answer(request);
    EXPECT_EQ(refused.status, 401) << cookie;
    EXPECT_EQ(header(refused, "Set-Cookie"),
              "spark_page_9842=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
  }
  EXPECT_EQ(with_cookie("spark_page=x; spark_page_98422=y; xspark_page_9842=z"), 401);
  EXPECT_EQ(with_cookie(right_cookie()), 200) << "names of others are no tries";
}

TEST_F(PageAccessTest, TwoPagesOnTwoPortsOfAHostKeepACookieEach) {
  auto request = get("/");
  const auto value = "=" + TokenDigest::of(kToken).text();
  const std::string other = "=" + TokenDigest::of("another-token-of-it").text();
  for (const auto& [host, name] :
       {std::pair("spark1:9842", "spark_page_9842"),
        std::pair("[2001:db8::1]:9842", "spark_page_9842"),
        std::pair("localhost:9843", "spark_page_9843"), std::pair("[2001:db8::9842]", "spark_page"),
        std::pair("spark1", "spark_page"), std::pair("spark1:", "spark_page")}) {
    request.host = host;
    const auto cookies = "spark_page_9841" + other + "; " + name + value;
    request.cookie = cookies;
    EXPECT_EQ(status(request), 200) << host;
    const auto wrong = name + other;
    request.cookie = wrong;
    EXPECT_THAT(header(answer(request), "Set-Cookie"), StartsWith(std::string(name) + "=;"))
        << host << ": no other page's is taken back";
    now_ += 1h;
  }
}

TEST_F(PageAccessTest, AnotherTokenEndsAllCookies) {
  EXPECT_EQ(with_cookie(right_cookie()), 200);
  token_.digest = TokenDigest::of("another-token-of-it");
  EXPECT_EQ(with_cookie(right_cookie()), 401);
}

TEST_F(PageAccessTest, AWrongTokenInTheFormSaysSoToAScreenReaderToo) {
  const auto again = answer(form("token=wrong"));
  EXPECT_EQ(again.status, 401);
  EXPECT_THAT(again.body, AllOf(HasSubstr(R"(role="alert">This is not the token.)"),
                                HasSubstr(R"(aria-describedby="said")"), Not(HasSubstr("wrong"))));
  EXPECT_EQ(header(again, "Set-Cookie"), "");
  EXPECT_EQ(answer(form("")).status, 401);
  EXPECT_EQ(answer(form("tokenx=" + std::string(kToken))).status, 401);
}

TEST_F(PageAccessTest, AFormIsSentFromThePageItselfAndAsForms) {
  const auto body = "token=" + std::string(kEncoded);
  const auto with_origin = [&](std::string_view origin, std::string_view site) {
    auto request = form(body);
    request.origin = origin;
    request.fetch_site = site;
    return status(request);
  };
  EXPECT_EQ(with_origin("", ""), 303);
  EXPECT_EQ(with_origin("http://192.0.2.11:9842", ""), 303);
  EXPECT_EQ(with_origin("http://192.0.2.11:9842", "same-origin"), 303);
  EXPECT_EQ(with_origin("", "none"), 303);
  for (int i = 0; i < 3; ++i) {
    for (const auto* origin :
         {"http://evil.example", "null", "http://192.0.2.11", "http://192.0.2.11:80",
          "http://192.0.2.11:9842.evil.example", "ftp://192.0.2.11:9842"}) {
      EXPECT_EQ(with_origin(origin, ""), 403) << origin;
    }
    EXPECT_EQ(with_origin("", "cross-site"), 403);
    EXPECT_EQ(with_origin("http://192.0.2.11:9842", "same-site"), 403);
  }
  EXPECT_EQ(with_origin("http://192.0.2.11:9842", "same-origin"), 303)
      << "another site uses up no tries";
  auto request = form(body);
  for (const auto* type :
       {"", "text/plain", "multipart/form-data; boundary=x", "application/json"}) {
    request.type = type;
    EXPECT_EQ(status(request), 415) << type;
  }
  request.type = "Application/X-WWW-Form-URLencoded ; charset=utf-8";
  EXPECT_EQ(status(request), 303);
}

TEST_F(PageAccessTest, FiveWrongTriesAMinuteCloseTheFormTheBearerAndTheCookieForThatAddressAlone) {
  EXPECT_EQ(with_bearer("Bearer wrong"), 401);
  EXPECT_EQ(with_bearer("Bearer wrong"), 401);
  EXPECT_EQ(with_cookie("spark_page_9842=wrong"), 401);
  EXPECT_EQ(status(form("token=wrong")), 401);
  EXPECT_EQ(status(form("token=wrong")), 401);
  const auto waits = answer(form("token=" + std::string(kEncoded)));
  EXPECT_EQ(waits.status, 429);
  EXPECT_EQ(header(waits, "Retry-After"), "60");
  EXPECT_THAT(waits.body, HasSubstr("Try again in 60 s"));
  EXPECT_EQ(header(waits, "Set-Cookie"), "");
  EXPECT_EQ(with_bearer(right_bearer()), 429) << "a right one tells nothing either";
  EXPECT_EQ(with_cookie(right_cookie()), 429);
  EXPECT_EQ(status(get("/")), 401) << "the form is there";
  EXPECT_EQ(status(get("/healthz")), 200);
  EXPECT_EQ(with_bearer(right_bearer(), "/metrics", "192.0.2.10"), 200);
  now_ += 60s;
  EXPECT_EQ(with_bearer(right_bearer()), 200);
}

TEST_F(PageAccessTest, WithoutATokenThatCanBeUsedItIsClosedAndSaysNoPath) {
  token_ = {.failed = "there is no '/etc/spark-reconcile/page.token': make one"};
  EXPECT_EQ(status(get("/style.css")), 200);
  EXPECT_EQ(status(get("/healthz")), 200) << "the daemon runs all the same";
  for (const auto* path : {"/", "/metrics", "/login"}) {
    const auto closed = answer(get(path));
    EXPECT_EQ(closed.status, 503) << path;
    EXPECT_THAT(closed.body,
                AllOf(HasSubstr("doctor"), Not(HasSubstr("page.token")), Not(HasSubstr("<form"))));
  }
  EXPECT_EQ(with_bearer("Bearer "), 503);
  EXPECT_EQ(status(form("token=")), 503);
}

TEST(PageTokenFile, IsReadAgainWhereItChanged) {
  if (geteuid() != 0) GTEST_SKIP() << "a token belongs to root";
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "etc");
  std::ofstream(folder.path() / "etc/passwd") << "spark-web:x:990:991::/:/bin/false\n";
  const auto put = [&](const std::string& text, unsigned mode) {
    const auto next = folder.path() / "next";
    std::ofstream(next) << text;
    std::filesystem::permissions(next, std::filesystem::perms{mode});
    std::filesystem::rename(next, folder.path() / "page.token");
  };
  TokenFile file("/page.token", folder.path());
  EXPECT_FALSE(file.look().digest);
  EXPECT_THAT(file.look().failed, HasSubstr("there is no '/page.token': make one: `head"));
  put("0123456789abcdef\n", 0600);
  EXPECT_EQ(file.look().failed, "");
  EXPECT_TRUE(*file.look().digest == TokenDigest::of("0123456789abcdef"));
  put("another-token-of-it\n", 0600);
  EXPECT_TRUE(*file.look().digest == TokenDigest::of("another-token-of-it"));
  std::filesystem::permissions(folder.path() / "page.token", std::filesystem::perms{0644});
  EXPECT_FALSE(file.look().digest);
  EXPECT_THAT(file.look().failed,
              AllOf(HasSubstr("is open to everybody"), Not(HasSubstr("another-token-of-it"))));
  put("short\n", 0600);
  EXPECT_FALSE(file.look().digest);
  EXPECT_THAT(file.look().failed,
              AllOf(HasSubstr("column 1: it has 5 characters"), Not(HasSubstr("short"))));
}

}  // namespace
}  // namespace spark::helpers
