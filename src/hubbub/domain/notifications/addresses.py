"""E-mail addresses and phone numbers: made sure of, and brought into their one spelling."""

import re

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from phonenumbers import NumberParseException, PhoneNumberFormat, ValidationResult

POSSIBLE = ValidationResult.IS_POSSIBLE
LONGEST_PHONE_NUMBER = 16  # the plus and, by E.164, fifteen digits
_PHONE_NUMBER = re.compile(r"\+[0-9 ().\-]+")


class NoAddress(Exception):
    """A text is no e-mail address or phone number; the message is a sentence for people."""


def normalise_email(text: str) -> str:
    """An e-mail address; whether mail arrives there is not looked up.

    Raises:
        NoAddress: it has not the form of one.
    """
    try:
        # Domains under .test are for trying things out, and may be.
        found = validate_email(text, check_deliverability=False, test_environment=True)
    except EmailNotValidError as fault:
        raise NoAddress(f"This is no e-mail address. {fault}") from None
    return found.normalized


def normalise_phone_number(text: str) -> str:
    """A phone number in the form E.164, such as +14155552671.

    It need only have a known country code and a length that fits there: which ranges are given
    out changes faster than the library that knows them.

    Raises:
        NoAddress: it can't be one.
    """
    normal = _e164(text) if _PHONE_NUMBER.fullmatch(text) else None
    if normal is None:
        raise NoAddress("This is no phone number with its country code, such as +14155552671.")
    return normal


def _e164(text: str) -> str | None:
    try:
        number = phonenumbers.parse(text)
        normal = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        is_settled = phonenumbers.parse(normal) == number  # not so after +43 00, twice a prefix
    except NumberParseException:
        return None
    outcome = phonenumbers.is_possible_number_with_reason(number)
    # The library also knows longer numbers, for calls inside a country only.
    if not is_settled or outcome != POSSIBLE or len(normal) > LONGEST_PHONE_NUMBER:
        return None
    return normal
