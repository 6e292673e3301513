"""Who a call is made by and for: principals, keys, tokens."""

from superagent_common.identity.context import (
    Identity,
    Principal,
    acting_as,
    current_identity,
    current_principal,
)
from superagent_common.identity.keys import USER_KEY_ID, KeySet, SigningKey, ensure_keys
from superagent_common.identity.tokens import ServiceTokens, TokenVerifier, UserTokens

__all__ = [
    "USER_KEY_ID",
    "Identity",
    "KeySet",
    "Principal",
    "ServiceTokens",
    "SigningKey",
    "TokenVerifier",
    "UserTokens",
    "acting_as",
    "current_identity",
    "current_principal",
    "ensure_keys",
]
