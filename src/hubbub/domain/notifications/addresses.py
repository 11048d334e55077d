"""Validate and normalise e-mail addresses and phone numbers."""

import re

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from phonenumbers import NumberParseException, PhoneNumberFormat, ValidationResult

POSSIBLE = ValidationResult.IS_POSSIBLE
LONGEST_PHONE_NUMBER = 16  # the plus and, by E.164, fifteen digits
_PHONE_NUMBER = re.compile(r"\+[0-9 ().\-]+")


class NoAddress(Exception):
    """A text is not an e-mail address or phone number; the message is a sentence for people."""


def normalise_email(text: str) -> str:
    """Return a normalised e-mail address; whether mail can be delivered is not checked.

    Raises:
        NoAddress: the text does not have the form of an e-mail address.
    """
    try:
        # `test_environment` accepts the domain .test, which is reserved for tests.
        found = validate_email(text, check_deliverability=False, test_environment=True)
    except EmailNotValidError as fault:
        raise NoAddress(f"This is not an e-mail address. {fault}") from None
    return found.normalized


def normalise_phone_number(text: str) -> str:
    """Return a phone number in the form E.164, such as +14155552671.

    The number needs a known country code and a possible length. The ranges in use are not checked,
    because they change faster than the library that knows them.

    Raises:
        NoAddress: the text can't be a phone number.
    """
    normal = _format_e164(text) if _PHONE_NUMBER.fullmatch(text) else None
    if normal is None:
        raise NoAddress("This is not a phone number with a country code, such as +14155552671.")
    return normal


def _format_e164(text: str) -> str | None:
    try:
        number = phonenumbers.parse(text)
        normal = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        is_stable = phonenumbers.parse(normal) == number  # false for +43 00, a prefix twice
    except NumberParseException:
        return None
    outcome = phonenumbers.is_possible_number_with_reason(number)
    # The library also accepts longer numbers, for calls inside a country only.
    if not is_stable or outcome != POSSIBLE or len(normal) > LONGEST_PHONE_NUMBER:
        return None
    return normal
