"""Where a webhook may go."""

from __future__ import annotations

import pytest

from headrace.errors import BadRequest
from headrace.model.alert.web_address import Allowed, check_address, masked_address, read_address

INSIDE = [
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://localhost/",
    "http://db.localhost:5432/",
    "http://10.1.2.3/",
    "http://192.168.0.1:8080/x",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://224.0.0.1/",
    "http://[ff02::1]/",
    "http://255.255.255.255/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2001::1]/",
    "http://[100::1]/",
]
# Programs read these in different ways: they are refused wherever they lead, and though all addresses are allowed.
ODD = {
    **dict.fromkeys(
        ("http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "https://①②⑦.⓪.⓪.①/"),
        "is another way to write 127.0.0.1: write that",
    ),
    "http://0/": "is another way to write 0.0.0.0: write that",
    "http://134744072/": "is another way to write 8.8.8.8: write that",
    "http://010.8.8.8/": "is another way to write 8.8.8.8: write that",
    **dict.fromkeys(
        (
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[64:ff9b::7f00:1]/",
        ),
        "is another way to write 127.0.0.1: write that",
    ),
    "http://[64:ff9b::808:808]/": "is another way to write 8.8.8.8: write that",
    **dict.fromkeys(("http://LOCALHOST./", "http://example.com./", "http://8.8.8.8./"), "ends in a dot: leave it out"),
    **dict.fromkeys(
        ("http://127%2e0.0.1/", "http://exa\\mple.com/", "http://a,b.example/"), "has characters that no name has"
    ),
}
# Newer versions of Python take these for no URL at all.
IN_BRACKETS = [
    "http://[::1].evil.example/",
    "http://[2606:4700::1111].evil.example/",
    "http://[2606:4700::1111]evil.example:80/",
    "http://x[2606:4700::1111]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[v1.x]/",
]
NO_ADDRESS = [
    "",
    "example.com",
    "ftp://example.com/",
    "file:///etc/passwd",
    "http://",
    "http:///x",
    "http://user:secret@example.com/",
    "http://example.com:no/",
    "http://example.com:70000/",
    "http://example.com/a b",
    "http://exa\nmple.com/",
    "http://[::1/",
    "http://" + "a" * 3000 + ".com/",
]


@pytest.mark.parametrize("url", INSIDE)
def test_what_leads_inside_is_refused_however_it_is_written(url: str) -> None:
    with pytest.raises(BadRequest, match=r"notices are not sent to .*alerts\.allow_hosts") as refused:
        check_address(url)
    assert refused.value.field == "address"


@pytest.mark.parametrize("url", NO_ADDRESS)
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_address(url)
    assert refused.value.field == "address"
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", ODD)
def test_a_host_of_an_odd_form_is_refused_with_the_plain_one(url: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_address(url, Allowed(private=True))
    assert str(refused.value).endswith(ODD[url])


@pytest.mark.parametrize("url", IN_BRACKETS)
def test_only_an_address_stands_in_brackets_and_only_a_port_behind(url: str) -> None:
    with pytest.raises(BadRequest, match=r"has more than an address in its brackets|is not a URL"):
        check_address(url, Allowed(private=True))


@pytest.mark.parametrize("url", INSIDE)
def test_an_operator_may_allow_all_of_it(url: str) -> None:
    check_address(url, Allowed(private=True))


def test_an_operator_may_allow_a_host_an_address_or_a_network_and_no_other() -> None:
    allowed = Allowed(hosts=("10.1.0.0/16", "127.0.0.1", "localhost", "::1"))
    for url in ("http://10.1.9.9/", "http://127.0.0.1/", "http://localhost/", "http://[::1]/"):
        check_address(url, allowed)
    for url in ("http://10.2.0.1/", "http://127.0.0.2/", "http://db.localhost/"):
        with pytest.raises(BadRequest):
            check_address(url, allowed)


@pytest.mark.parametrize(
    ("url", "parts", "name"),
    [
        ("https://example.com", ("https", "example.com", 443, "/"), "example.com"),
        ("http://Example.com:8080/a?b=c#d", ("http", "example.com", 8080, "/a?b=c"), "example.com:8080"),
        ("https://bücher.example/x", ("https", "xn--bcher-kva.example", 443, "/x"), "xn--bcher-kva.example"),
        ("http://[2606:4700::1111]:81/", ("http", "2606:4700::1111", 81, "/"), "[2606:4700::1111]:81"),
    ],
)
def test_the_parts_of_an_address(url: str, parts: tuple[str, str, int, str], name: str) -> None:
    address = read_address(url)
    assert tuple(address) == parts
    assert address.name == name


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.example.com/services/T0/B0/s3cret", "https://hooks.example.com/services/T0/B0/***"),
        ("https://example.com/", "https://example.com/"),
        ("https://example.com", "https://example.com"),
        ("https://example.com/?key=s3cret", "https://example.com/***"),
        ("https://example.com?key=s3cret", "https://example.com/***"),
        ("https://example.com/hook?key=s3cret", "https://example.com/***"),
    ],
)
def test_people_see_an_address_without_its_secret(url: str, shown: str) -> None:
    assert masked_address(url) == shown
