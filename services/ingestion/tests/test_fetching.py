"""Addresses as they may be asked for, and what fetched documents are called."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.documents import checked_file_name
from superagent_ingestion.domain.fetching import checked_url, fetched_name, is_open, networks_of, ports_of


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "http://example.com:8080/a/b.pdf?x=1#y",
        "HTTPS://EXAMPLE.com/",
        "http://bücher.example/ä",
        "http://[2606:2800:220:1::]/",
        "https://example.com/" + "a" * 1980,
    ],
)
def test_addresses_of_the_web_may_be_asked_for(url: str) -> None:
    assert checked_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "//example.com/", "file:///etc/passwd", "ftp://example.com/", "javascript:alert(1)"),
        *("http://", "http:///path", "http://user@example.com/", "http://user:pw@example.com/", "http://@example.com/"),
        *("http://example.com:99999/", "http://example.com:x/", "http://exa mple.com/", "http://example.com\\@evil/"),
        *(
            "http://example.com/\r\nHost: evil",
            "http://example.com/\x00",
            "http://[::1/",
            "https://e.com/" + "a" * 2000,
        ),
        *("gopher://example.com/", "data:text/plain,x", " http://example.com/", "http://exam\u202eple.com/"),
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_url(url)
    assert refused.value.reason == "invalid_url"


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_judged_the_same_in_every_ipv6_spelling(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    spellings = [f"::ffff:{address}", f"64:ff9b::{address}", str(ipaddress.IPv6Address(0x2002 << 112 | number << 80))]
    assert {is_open(spelling, ()) for spelling in spellings} == {is_open(str(address), ())}
    if not address.is_global:
        assert not is_open(str(address), ())


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_of_an_inner_network_is_open(address: ipaddress.IPv6Address) -> None:
    inner = address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
    if inner and not (address.ipv4_mapped or address.sixtofour):
        assert not is_open(str(address), ())


def test_only_the_networks_that_are_allowed_are_open_besides() -> None:
    allowed = networks_of("10.1.0.0/16, fd00:1::/32")
    assert is_open("10.1.2.3", allowed)
    assert is_open("::ffff:10.1.2.3", allowed)
    assert is_open("fd00:1::5", allowed)
    assert not is_open("10.2.2.3", allowed)
    assert not is_open("fd00:2::5", allowed)
    assert is_open("93.184.215.14", allowed)
    assert is_open("2606:4700::1111", ())
    assert not is_open("fe80::1%eth0", ())


def test_lists_that_cannot_be_read_are_refused() -> None:
    assert ports_of("80, 8443") == {80, 8443}
    assert networks_of("") == ()
    for listed in ("80;443", "0", "70000"):
        with pytest.raises(ValueError, match=r"."):
            ports_of(listed)
    with pytest.raises(ValueError, match=r"10\.1\.2\.3"):
        networks_of("10.1.2.3/16")


@pytest.mark.parametrize(
    ("url", "disposition", "content_type", "name"),
    [
        ("https://example.com/a/report.pdf?x=1", "", "application/pdf", "report.pdf"),
        ("https://example.com/%E6%8A%A5%E5%91%8A.pdf", "", "", "报告.pdf"),
        ("https://example.com/", "", "text/html; charset=utf-8", "example.com.html"),
        ("https://example.com", "", "", "example.com"),
        ("https://example.com/index.php", "", "text/html", "index.php.html"),
        ("https://example.com/page.html", "", "text/html", "page.html"),
        ("https://example.com/data", "", "application/json", "data.json"),
        ("https://example.com/x", 'attachment; filename="Annual report.docx"', "", "Annual report.docx"),
        ("https://example.com/x", "attachment; filename*=UTF-8''%E6%8A%A5%E5%91%8A.pdf", "", "报告.pdf"),
        ("https://example.com/x", 'attachment; filename="../../etc/passwd"', "", "passwd"),
        ("https://example.com/x", 'attachment; filename="C:\\\\temp\\\\a.txt"', "", "a.txt"),
        ("https://example.com/x.txt", 'attachment; filename=".."', "", "x.txt"),
        # Character sets that do not read whatever they are given, or are none.
        ("https://example.com/x.txt", "attachment; filename*=idna''xn--a", "", "x.txt"),
        ("https://example.com/x.txt", "attachment; filename*=zlib''%78", "", "x"),
        ("https://example.com/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "", "", "passwd"),
        ("https://example.com/gnp%E2%80%AEfdp.exe", "", "", "gnpfdp.exe"),
        ("https://example.com/a%00b%0a.txt", "", "", "ab.txt"),
        # A page where a PDF was promised keeps the promise in its name, and fails over it when it is read.
        ("https://example.com/report.pdf", "", "text/html", "report.pdf"),
    ],
)
def test_a_document_is_called_what_its_server_says(url: str, disposition: str, content_type: str, name: str) -> None:
    assert fetched_name(url, disposition, content_type) == name


@given(st.text(), st.text(), st.sampled_from(["", "text/html", "application/json"]))
def test_every_name_is_one_that_an_upload_might_have(path: str, disposition: str, content_type: str) -> None:
    url = "https://example.com/" + path
    try:
        checked_url(url)
    except InvalidInput:
        return
    for said in (disposition, f'attachment; filename="{disposition}"', f"attachment; filename*=UTF-8''{disposition}"):
        name = fetched_name(url, said, content_type)
        assert checked_file_name(name) == name
