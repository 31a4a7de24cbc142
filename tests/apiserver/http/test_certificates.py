"""Certificates that are kept, renewed in time, and good for the names that clients use."""

import ssl
import time
from pathlib import Path

import pytest
from cryptography import x509

from podium.api.process.private_files import FileError
from podium.apiserver.http.certificates import Certificates, kept_certificates

NOW_S = time.time()
DAY_S = 86_400


def texts(certificates: Certificates) -> tuple[str, ...]:
    files = (certificates.certificate, certificates.key, certificates.authority)
    return tuple(file.read_text() for file in files)


def test_they_are_made_once_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    made = kept_certificates(tmp_path, NOW_S)
    assert texts(made) == texts(kept_certificates(tmp_path, NOW_S + DAY_S))
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}


def test_the_servers_is_renewed_before_it_expires_and_the_authority_stays(tmp_path: Path) -> None:
    before = texts(kept_certificates(tmp_path, NOW_S))
    after = texts(kept_certificates(tmp_path, NOW_S + 340 * DAY_S))
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert before[2] == after[2]


def test_the_authority_is_renewed_with_all_that_it_vouches_for(tmp_path: Path) -> None:
    before = texts(kept_certificates(tmp_path, NOW_S))
    after = kept_certificates(tmp_path, NOW_S + 3640 * DAY_S)
    assert not set(before) & set(texts(after))
    ssl.create_default_context(cafile=after.authority)
    server = x509.load_pem_x509_certificate(after.certificate.read_bytes())
    authority = x509.load_pem_x509_certificate(after.authority.read_bytes())
    server.verify_directly_issued_by(authority)


def test_a_certificate_for_other_names_is_replaced(tmp_path: Path) -> None:
    kept_certificates(tmp_path, NOW_S)
    certificates = kept_certificates(tmp_path, NOW_S, ("127.0.0.1", "podium.test"))
    server = x509.load_pem_x509_certificate(certificates.certificate.read_bytes())
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["podium.test"]


def test_what_is_half_there_is_made_anew(tmp_path: Path) -> None:
    before = texts(kept_certificates(tmp_path, NOW_S))
    (tmp_path / "server.crt").unlink()
    after = texts(kept_certificates(tmp_path, NOW_S))
    assert before[0] != after[0]
    assert before[2] == after[2]


@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "server.crt", "server.key"])
def test_what_is_damaged_is_named(tmp_path: Path, name: str) -> None:
    kept_certificates(tmp_path, NOW_S)
    (tmp_path / name).write_text("nothing that makes sense")
    with pytest.raises(FileError, match=name.replace(".", r"\.")):
        kept_certificates(tmp_path, NOW_S)


def test_a_key_that_others_may_read_isnt_used(tmp_path: Path) -> None:
    kept_certificates(tmp_path, NOW_S)
    (tmp_path / "server.key").chmod(0o644)
    with pytest.raises(FileError, match="others may read it"):
        kept_certificates(tmp_path, NOW_S)
