"""A first chat, with a client of openapi-generator.

Anna sends Ben a text, an image and a form; Ben reads them.

    python first_chat.py http://127.0.0.1:8080 KEY
"""

import sys
import uuid
from pathlib import Path

import hubbub_client as hubbub
from hubbub_client import ReceiverType

PICTURE = Path(__file__).parents[1] / "garden.png"
FORM = hubbub.Form(
    title="What shall we plant?",
    form_fields=[
        hubbub.Element(
            hubbub.TextInputElement(element_type="textInput", element_id="plant", label="A plant")
        )
    ],
    submit_element=hubbub.ButtonElement(
        element_type="button",
        element_id="send",
        button_text="Send",
        action=hubbub.Action(hubbub.CustomAction(action_type="customAction")),
    ),
)


def connect(url: str, **credentials: str) -> hubbub.ApiClient:
    """Return a client that acts with an API key (`apikey`) or an auth token (`authToken`)."""
    return hubbub.ApiClient(hubbub.Configuration(host=f"{url}/v3", api_key=credentials))


def join(app: hubbub.ApiClient, url: str, uid: str, name: str) -> hubbub.ApiClient:
    """Create a user; return a client that acts as this user."""
    hubbub.UsersApi(app).create_user(hubbub.CreateUser(uid=uid, name=name))
    token = hubbub.AuthTokensApi(app).create_authtoken(uid)
    return connect(url, authToken=token.data.auth_token)


def send_text(sender: hubbub.ApiClient, receiver: str, text: str) -> None:
    """Send a text to a user."""
    message = hubbub.SendTextMessage(
        receiver=receiver,
        receiver_type=ReceiverType.USER,
        data=hubbub.TextMessageData(text=text),
    )
    hubbub.MessagesApi(sender).send_message_with_json(hubbub.SendMessageBody(message))


def send_image(sender: hubbub.ApiClient, receiver: str, picture: Path) -> None:
    """Upload a picture with its message: a part for each field, and one for the file."""
    hubbub.MessagesApi(sender).send_message_with_form_data(
        receiver, ReceiverType.USER, type="image", file=[str(picture)]
    )


def send_form(sender: hubbub.ApiClient, receiver: str) -> None:
    """Send a form to fill in."""
    message = hubbub.SendFormMessage(
        receiver=receiver,
        receiver_type=ReceiverType.USER,
        category="interactive",
        type="form",
        data=hubbub.FormMessageData(interactive_data=FORM),
    )
    hubbub.MessagesApi(sender).send_message_with_json(hubbub.SendMessageBody(message))


def described(message: object) -> str:
    """Return what a message says, by its category and type."""
    match message:
        case hubbub.ListedMessage() | hubbub.Message():  # one of several models is wrapped
            return described(message.actual_instance)
        case hubbub.ChatMessage(type="text", data=data):
            return f"Anna wrote: {data.text}"
        case hubbub.ChatMessage(type="image", data=data):
            files = data.attachments or []
            pictures = [f"{file.name}, {file.width} x {file.height}" for file in files]
            return f"Anna sent an image: {'; '.join(pictures)}"
        case hubbub.FormMessage(
            data=hubbub.StoredFormData(interactive_data=hubbub.Form(title=title))
        ):
            return f"Anna sent a form: {title}"
    return "A message of another kind"


def main(url: str, key: str) -> None:
    """Play the chat, with users of its own."""
    app = connect(url, apikey=key)
    run = uuid.uuid4().hex
    anna = join(app, url, f"anna-{run}", "Anna")
    ben = join(app, url, f"ben-{run}", "Ben")

    send_text(anna, f"ben-{run}", "Look at my garden!")
    send_image(anna, f"ben-{run}", PICTURE)
    send_form(anna, f"ben-{run}")

    for conversation in hubbub.ConversationsApi(ben).list_all_conversations().data:
        partner = conversation.conversation_with.actual_instance
        if partner:
            unread = conversation.unread_message_count
            print(f"Ben has {unread} unread messages from {partner.name}.")
    for message in hubbub.MessagesApi(ben).list_user_messages(f"anna-{run}").data:
        print(described(message))

    try:
        send_text(anna, f"nobody-{run}", "Is anybody there?")
    except hubbub.ApiException as refused:
        if not refused.data or refused.data.error.code != "ERR_UID_NOT_FOUND":
            raise
        print(f"Nobody is there: {refused.data.error.code}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
