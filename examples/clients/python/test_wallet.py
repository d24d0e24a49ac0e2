import base64
import unittest

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from wallet import sign

KEY = ec.derive_private_key(7, ec.SECP256R1())
WALLET = {"privateKeyJwk": {"d": base64.urlsafe_b64encode((7).to_bytes(32)).rstrip(b"=").decode()}}
DECODERS = {
    "hex": bytes.fromhex,
    "base64": base64.b64decode,
    "base64url": lambda text: base64.urlsafe_b64decode(text + "=="),
}
# Trimming, normalization and other line ends would change it.
MESSAGE = " sign\r\nre\u0301vise\u0301es \n"


class WalletTest(unittest.TestCase):
    def test_signs_the_exact_bytes(self):
        for encoding, decode in DECODERS.items():
            with self.subTest(encoding=encoding):
                signature = decode(sign(MESSAGE, WALLET, "ecdsa-p256-sha256", encoding))
                self.assertEqual(len(signature), 64)
                r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
                # Raises InvalidSignature for other bytes.
                KEY.public_key().verify(encode_dss_signature(r, s), MESSAGE.encode(), ec.ECDSA(SHA256()))

    def test_refuses_another_scheme(self):
        with self.assertRaisesRegex(ValueError, "cannot sign with ed25519"):
            sign(MESSAGE, WALLET, "ed25519", "hex")


if __name__ == "__main__":
    unittest.main()
