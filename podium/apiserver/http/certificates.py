"""Certificates of a cluster: its certificate authority (CA), and the server certificate.

Both are created at the first start and renewed before they expire; the server's certificate also if
host names are added. After a renewal of the CA, clients need a new kubeconfig.
"""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from podium.api.process import private_files
from podium.apiserver.authentication.users import MASTERS

LOCAL_NAMES = ("127.0.0.1", "::1", "localhost")
"""The names and addresses of the server on its own machine."""

_KUBELET_CLIENT = "kube-apiserver-kubelet-client"
_AUTHORITY_LIFE = timedelta(days=3650)
_SERVER_LIFE = timedelta(days=365)
_RENEWAL = timedelta(days=30)
# Clocks of clients may be behind.
_LEEWAY = timedelta(hours=1)

Key = ec.EllipticCurvePrivateKey


class Certificates(msgspec.Struct, frozen=True):
    """Paths of the PEM files of a TLS server or client: certificate, key and CA."""

    certificate: Path
    key: Path
    authority: Path


class _Pair(msgspec.Struct, frozen=True):
    certificate: x509.Certificate
    key: Key


def kept_certificates(
    directory: Path, now_s: float, names: Sequence[str] = LOCAL_NAMES
) -> Certificates:
    """Return a directory's server certificates, created or renewed if needed; raises FileError."""
    private_files.private_directory(directory)
    now = datetime.fromtimestamp(now_s, UTC)
    authority, server = _read(directory, "ca"), _read(directory, "server")
    if authority is None or _expires_soon(authority, now):
        allowed = ("digital_signature", "key_cert_sign", "crl_sign")
        others = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
        denied = (*others, "encipher_only", "decipher_only")
        usage = x509.KeyUsage(**dict.fromkeys(allowed, True), **dict.fromkeys(denied, False))
        authority = _written(
            directory / "ca",
            {NameOID.COMMON_NAME: "podium-ca"},
            now,
            [(x509.BasicConstraints(ca=True, path_length=0), True), (usage, True)],
        )
    alternatives: list[x509.GeneralName] = []
    for name in names:
        try:
            alternatives.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            alternatives.append(x509.DNSName(name))
    is_usable = False
    if server is not None and not _expires_soon(server, now):
        extensions = server.certificate.extensions
        named = extensions.get_extension_for_class(x509.SubjectAlternativeName)
        issuer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier)
        public = x509.SubjectKeyIdentifier.from_public_key(authority.key.public_key())
        is_usable = (
            list(named.value) == alternatives and issuer.value.key_identifier == public.digest
        )
    if not is_usable:
        usage_of_server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        names_of_server = x509.SubjectAlternativeName(alternatives)
        subject = {NameOID.COMMON_NAME: "podium"}
        added = [(usage_of_server, False), (names_of_server, False)]
        _written(directory / "server", subject, now, added, authority)
    return _files(directory, "server")


def new_kubelet_client(directory: Path, now_s: float) -> Certificates:
    """Create the certificate that the API server uses as a client of kubelets; raises FileError."""
    authority = _read(directory, "ca")
    if authority is None:
        raise private_files.FileError(f"{directory}: there is no authority")
    now = datetime.fromtimestamp(now_s, UTC)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    subject = {NameOID.ORGANIZATION_NAME: MASTERS, NameOID.COMMON_NAME: _KUBELET_CLIENT}
    _written(directory / "kubelet-client", subject, now, [(usage, False)], authority)
    return _files(directory, "kubelet-client")


def _files(directory: Path, name: str) -> Certificates:
    return Certificates(directory / f"{name}.crt", directory / f"{name}.key", directory / "ca.crt")


def _expires_soon(pair: _Pair, now: datetime) -> bool:
    return pair.certificate.not_valid_after_utc < now + _RENEWAL


def _written(
    path: Path,
    subject: Mapping[x509.ObjectIdentifier, str],
    now: datetime,
    extensions: Iterable[tuple[x509.ExtensionType, bool]],
    authority: _Pair | None = None,
) -> _Pair:
    """Write a new certificate and its key; without `authority`, it is self-signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = issuer = x509.Name([x509.NameAttribute(oid, text) for oid, text in subject.items()])
    signing, life = key, _AUTHORITY_LIFE
    if authority is not None:
        issuer, signing = authority.certificate.subject, authority.key
        life = min(_SERVER_LIFE, authority.certificate.not_valid_after_utc - now)
        vouching = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
        constraints = x509.BasicConstraints(ca=False, path_length=None)
        extensions = [*extensions, (constraints, True), (vouching, False)]
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LEEWAY)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    pair = _Pair(builder.sign(signing, hashes.SHA256()), key)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    # The certificate is written last: without it, the key isn't used.
    private_files.write_private(
        path.with_suffix(".key"), key.private_bytes(encoding, form, serialization.NoEncryption())
    )
    private_files.write_private(path.with_suffix(".crt"), pair.certificate.public_bytes(encoding))
    return pair


def _read(directory: Path, name: str) -> _Pair | None:
    certificate = private_files.read_private(directory / f"{name}.crt")
    key = private_files.read_private(directory / f"{name}.key")
    if certificate is None or key is None:
        return None
    private: object = None
    with suppress(ValueError, TypeError):
        private = serialization.load_pem_private_key(key, None)
        loaded = x509.load_pem_x509_certificate(certificate)
        if isinstance(private, ec.EllipticCurvePrivateKey):
            belongs = loaded.public_key() == private.public_key()
            return _Pair(loaded, private) if belongs else None
    both = f"{name}.crt or {name}.key"
    raise private_files.FileError(f"{directory}: {both} is damaged; remove both to get new ones")
