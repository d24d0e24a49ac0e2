"""Signatures of the demo wallets. A real wallet signs itself: replace `sign`."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

SCHEME = "ecdsa-p256-sha256"
NUMBER_BYTES = 32

ENCODERS = {
    "hex": bytes.hex,
    "base64": lambda signature: base64.b64encode(signature).decode(),
    "base64url": lambda signature: base64.urlsafe_b64encode(signature).rstrip(b"=").decode(),
}


def sign(message, wallet, scheme, encoding):
    """
    Signs the exact UTF-8 bytes of a message: never trim, normalize or rebuild it. `wallet` is an entry of the profile's
    wallets file, `encoding` that of the result: r and s, 32 bytes each.
    """
    if scheme != SCHEME:
        raise ValueError(f"this client cannot sign with {scheme}")
    number = int.from_bytes(decode(wallet["privateKeyJwk"]["d"]))
    key = ec.derive_private_key(number, ec.SECP256R1())
    r, s = decode_dss_signature(key.sign(message.encode(), ec.ECDSA(SHA256())))
    return ENCODERS[encoding](r.to_bytes(NUMBER_BYTES) + s.to_bytes(NUMBER_BYTES))


def decode(text):
    """Decodes base64url without padding, as in a JWK."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
