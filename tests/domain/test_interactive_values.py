"""Addresses, time zones and date patterns in interactive messages."""

import pytest

from hubbub.domain.interactive_messages.ldml import (
    PatternError,
    PatternField,
    PatternText,
    read_pattern,
)
from hubbub.domain.interactive_messages.urls import is_deep_link, is_web_url
from hubbub.kernel.clock import is_time_zone


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "HTTP://EXAMPLE.COM/",
        "http://localhost:8080/orders?id=7&x={y}#top",
        "https://anna:secret@shop.example.com./buy",
        "http://203.0.113.7/",
        "http://[2001:db8::7]:8080/",
        "https://xn--bcher-kva.example/",
        "https://bücher.example/ä?ö=ü",
        "https://हिन्दी.example/",
        "http://my_shop/",
        f"http://{'a.' * 126}b/",
    ],
)
def test_absolute_web_urls_are_let_through(url: str) -> None:
    """An http or https URL with a host is accepted for a button."""
    assert is_web_url(url)
    assert is_deep_link(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "https:",
        "https:example.com",
        "http:///orders",
        "http://:80/",
        "http://anna@/",
        "http://exa mple.com/",
        "http://example.com/a b",
        " http://example.com/",
        "http://example.com/\n",
        "http://exam\tple.com/",
        "http://example.com\\@evil.example/",
        "http://example.com/<b>",
        "http://example..com/",
        "http://-shop.example/",
        "http://shop-.example/",
        "http://exa%6Dple.com/",
        f"http://{'a' * 64}.example/",
        f"http://{'a.' * 126}bb/",
        "http://999.1.1.1/",
        "http://1.2.3/",
        "http://[2001:db8::g]/",
        "http://[2001:db8::7/",
        "http://a]b/",
        "http://1:2:3/",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http://example.com:http/",
        "",
    ],
)
def test_broken_web_urls_are_refused(url: str) -> None:
    """An http or https URL without a valid host is refused for both kinds of link."""
    assert not is_web_url(url)
    assert not is_deep_link(url)


@pytest.mark.parametrize(
    "url",
    [
        "myapp://orders/7",
        "myapp:",
        "intent://scan/#Intent;scheme=zxing;package=com.example;end",
        "tel:+4930123456",
        "mailto:anna@example.com",
        "com.example.shop+beta-2://open",
        "ftp://example.com/shoes.txt",
    ],
)
def test_only_deep_links_may_have_another_scheme(url: str) -> None:
    """A URL of an app's own scheme is a deep link, and not a web URL."""
    assert is_deep_link(url)
    assert not is_web_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "\x01javascript:alert(1)",
        "\u200bjavascript:alert(1)",
        "\u00a0javascript:alert(1)",
        "java\nscript:alert(1)",
        "javascript\t:alert(1)",
        "java\x00script:alert(1)",
        "data:text/html,hello",
        "DATA:text/html,hello",
        "vbscript:msgbox",
        "file:///etc/passwd",
        "File:///etc/passwd",
        "blob:https://example.com/1",
        " myapp://orders/7",
        "myapp://orders 7",
        "orders/7",
        "//example.com/",
        "7app://orders",
        "://orders",
        "",
    ],
)
def test_no_link_runs_a_script_or_reads_a_file(url: str) -> None:
    """A scheme that runs or reads something locally is refused, in any spelling."""
    assert not is_deep_link(url)
    assert not is_web_url(url)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "America/Argentina/Ushuaia", "Etc/GMT+5"])
def test_zones_of_the_iana_database_are_known(zone: str) -> None:
    """Every zone of the database is known by its name."""
    assert is_time_zone(zone)


@pytest.mark.parametrize(
    "zone", ["", "europe/berlin", "+02:00", "America", "localtime", "Factory", "/etc/localtime"]
)
def test_other_words_are_no_zone(zone: str) -> None:
    """Names that only one machine knows, or none, are refused."""
    assert not is_time_zone(zone)


def test_a_pattern_is_read_into_fields_and_text() -> None:
    """A run of one letter is a field; everything else is literal text."""
    assert read_pattern("yyyy-MM-ddHH") == (
        PatternField("y", 4),
        PatternText("-"),
        PatternField("M", 2),
        PatternText("-"),
        PatternField("d", 2),
        PatternField("H", 2),
    )


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("d'T'", "T"),
        ("d'de la'", "de la"),
        ("d''", "'"),
        ("d'o''clock'", "o'clock"),
        ("d' 年'", " 年"),
        ("d年", "年"),
        ("d 🙂/.:", " 🙂/.:"),
    ],
)
def test_text_in_a_pattern_stands_for_itself(pattern: str, text: str) -> None:
    """Letters in quotes, doubled quotes and all but ASCII letters are literal text."""
    assert read_pattern(pattern) == (PatternField("d", 1), PatternText(text))


@pytest.mark.parametrize(
    "pattern",
    [
        "yyyy-MM-dd HH:mm",
        "EEEE, d. MMMM y G",
        "hh 'o''clock' a, zzzz",
        "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
        "YYYY-'W'ww-e",
        "QQQ LLL cccccc DDD F g U u r W",
        "b BBBB k K A ZZZZZ O v VVVV xx",
    ],
)
def test_patterns_of_every_field_are_well_formed(pattern: str) -> None:
    """Each letter that Unicode defines for patterns may be used."""
    assert read_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("yyyy-MM-dd'", "quote"),
        ("yyyy 'o''clock", "quote"),
        ("yyyy-MM-ddTHH:mm", "`T`"),
        ("yyyy-nn", "`n`"),
        ("j", "`j`"),
        ("dddd", "`d`"),
        ("MMMMMM", "`M`"),
        ("HHH", "`H`"),
        ("EEEEEEE", "`E`"),
        ("zzzzz", "`z`"),
        ("DDDD", "`D`"),
        ("WW", "`W`"),
        ("", "some part"),
        ("-- : --", "some part"),
        ("'yyyy'", "some part"),
    ],
)
def test_malformed_patterns_are_refused_with_a_reason(pattern: str, word: str) -> None:
    """Open quotes, unknown letters, too long fields and a lack of fields are named."""
    with pytest.raises(PatternError, match=word):
        read_pattern(pattern)
