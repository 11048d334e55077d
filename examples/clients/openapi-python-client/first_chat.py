"""A first chat, with a client of openapi-python-client.

Anna sends Ben a text, an image and a form; Ben reads them.

    python first_chat.py http://127.0.0.1:8080 KEY
"""

import sys
import uuid
from pathlib import Path
from typing import TypeVar

from hubbub_client import AuthenticatedClient
from hubbub_client.api.auth_tokens import create_authtoken
from hubbub_client.api.conversations import list_all_conversations
from hubbub_client.api.messages import list_user_messages, send_message
from hubbub_client.api.users import create_user
from hubbub_client.models import (
    AuthTokenAnswer,
    ButtonElement,
    ChatMessage,
    ConversationList,
    CreateUser,
    CustomAction,
    ErrorBody,
    Form,
    FormMessage,
    FormMessageData,
    MessageList,
    Problem,
    SendFormMessage,
    SendMessageForm,
    SendTextMessage,
    SentMessageAnswer,
    StoredFormData,
    TextInputElement,
    TextMessageData,
    UserAnswer,
)
from hubbub_client.types import File

PICTURE = Path(__file__).parents[1] / "garden.png"
FORM = Form(
    title="What shall we plant?",
    form_fields=[
        TextInputElement(element_type="textInput", element_id="plant", label="A plant"),
    ],
    submit_element=ButtonElement(
        element_type="button",
        element_id="send",
        button_text="Send",
        action=CustomAction(action_type="customAction"),
    ),
)
Answer = TypeVar("Answer")


class Refused(Exception):
    """The server refused a call; `code` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.code = problem.code


def accepted(kind: type[Answer], answer: object) -> Answer:
    """Return the answer to a call, if it is of this kind.

    Raises:
        Refused: the server refused the call.
    """
    if isinstance(answer, ErrorBody):
        raise Refused(answer.error)
    assert isinstance(answer, kind), answer
    return answer


def connect_app(url: str, key: str) -> AuthenticatedClient:
    """Return a client that acts for the app, with an API key."""
    return AuthenticatedClient(f"{url}/v3", key, auth_header_name="apikey", prefix="")


def connect_user(url: str, token: str) -> AuthenticatedClient:
    """Return a client that acts as a user, with an auth token."""
    return AuthenticatedClient(f"{url}/v3", token, auth_header_name="authToken", prefix="")


def join(app: AuthenticatedClient, url: str, uid: str, name: str) -> AuthenticatedClient:
    """Create a user; return a client that acts as this user."""
    accepted(UserAnswer, create_user.sync(client=app, body=CreateUser(uid=uid, name=name)))
    token = accepted(AuthTokenAnswer, create_authtoken.sync(uid, client=app))
    return connect_user(url, token.data.auth_token)


def send_text(sender: AuthenticatedClient, receiver: str, text: str) -> None:
    """Send a text to a user."""
    data = TextMessageData(text=text)
    message = SendTextMessage(receiver=receiver, receiver_type="user", data=data)
    accepted(SentMessageAnswer, send_message.sync(client=sender, body=message))


def send_image(sender: AuthenticatedClient, receiver: str, picture: Path) -> None:
    """Upload a picture with its message: a part for each field, and one for the file."""
    with picture.open("rb") as opened:
        file = File(opened, picture.name, "image/png")
        form = SendMessageForm(receiver=receiver, receiver_type="user", type_="image", file=[file])
        accepted(SentMessageAnswer, send_message.sync(client=sender, body=form))


def send_form(sender: AuthenticatedClient, receiver: str) -> None:
    """Send a form to fill in."""
    message = SendFormMessage(
        receiver=receiver,
        receiver_type="user",
        category="interactive",
        type_="form",
        data=FormMessageData(interactive_data=FORM),
    )
    accepted(SentMessageAnswer, send_message.sync(client=sender, body=message))


def described(message: object) -> str:
    """Return what a message says, by its category and type."""
    match message:
        case ChatMessage(type_="text", data=data):
            return f"Anna wrote: {data.text}"
        case ChatMessage(type_="image", data=data):
            files = data.attachments or []
            pictures = [f"{file.name}, {file.width} x {file.height}" for file in files]
            return f"Anna sent an image: {'; '.join(pictures)}"
        case FormMessage(data=StoredFormData(interactive_data=Form(title=title))):
            return f"Anna sent a form: {title}"
    return "A message of another kind"


def main(url: str, key: str) -> None:
    """Play the chat, with users of its own."""
    app = connect_app(url, key)
    run = uuid.uuid4().hex
    anna = join(app, url, f"anna-{run}", "Anna")
    ben = join(app, url, f"ben-{run}", "Ben")

    send_text(anna, f"ben-{run}", "Look at my garden!")
    send_image(anna, f"ben-{run}", PICTURE)
    send_form(anna, f"ben-{run}")

    conversations = accepted(ConversationList, list_all_conversations.sync(client=ben))
    for conversation in conversations.data:
        name, unread = conversation.conversation_with.name, conversation.unread_message_count
        print(f"Ben has {unread} unread messages from {name}.")
    messages = accepted(MessageList, list_user_messages.sync(f"anna-{run}", client=ben))
    for message in messages.data:
        print(described(message))

    try:
        send_text(anna, f"nobody-{run}", "Is anybody there?")
    except Refused as refused:
        if refused.code != "ERR_UID_NOT_FOUND":
            raise
        print(f"Nobody is there: {refused.code}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
