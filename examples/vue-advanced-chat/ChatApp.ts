/** A chat made of the component `vue-advanced-chat`, fed by the store. */

import { computed, defineComponent, h, reactive, ref, watch, watchEffect, type PropType } from "vue";
import type { Message, MessageFile, Room } from "vue-advanced-chat";
import emojis from "emoji-picker-element-data/en/emojibase/data.json"; // by default the component takes them from elsewhere
import type { Chat, MessageView, Receiver } from "@hubbub/client/store";
import { useHubbub } from "../vue/useHubbub.js";
import { isShown, messageOf, roomOf, type ShownMessage } from "./views.js";

/** What the component tells; which fields there are depends on the event. */
interface Told {
  roomId: string;
  room: Room;
  options?: { reset?: boolean };
  content: string;
  files: (MessageFile & { blob: Blob })[] | null;
  replyMessage: Message | null;
  messageId: string;
  newContent: string;
  message: ShownMessage;
  reaction: { unicode: string };
  remove: boolean;
}

const MESSAGE_ACTIONS = [
  { name: "replyMessage", title: "Reply" },
  { name: "editMessage", title: "Edit", onlyMe: true },
  { name: "deleteMessage", title: "Delete", onlyMe: true },
];

export const ChatApp = defineComponent({
  props: {
    chat: { type: Object as PropType<Chat>, required: true },
    uid: { type: String, required: true },
    /** The interface of the server. */
    url: { type: String, required: true },
  },
  setup({ chat, uid, url }) {
    const conversations = useHubbub(chat.conversations());
    const status = useHubbub(chat.status);
    const open = ref<string>();
    const query = computed(() => (open.value === undefined ? undefined : chat.messages(open.value)));
    const list = useHubbub(query);
    const sentFiles = new Map<string, MessageFile[]>();

    const conversation = computed(() => conversations.value.find((each) => each.conversationId === open.value));
    const presences = reactive(new Map<string, string | undefined>());
    watchEffect((onCleanup) => {
      for (const { conversationWith: other } of conversations.value) {
        if (!("uid" in other)) continue;
        const presence = chat.presence(other.uid);
        const take = () => void presences.set(other.uid, presence.get());
        take();
        onCleanup(presence.subscribe(take));
      }
    });

    const rooms = computed(() =>
      conversations.value.map((each, index, all) => {
        const other = each.conversationWith;
        const presence = "uid" in other ? presences.get(other.uid) : undefined;
        return roomOf(each, { uid, url }, presence, all.length - index);
      }),
    );
    const show = (message: MessageView) => messageOf(message, { uid, url }, sentFiles.get(message.key));
    const messages = computed(() => (list.value?.messages ?? []).filter(isShown).map(show));

    watch([open, () => conversation.value?.unreadMessageCount], ([id, unread]) => {
      if (id !== undefined && unread && document.visibilityState === "visible") chat.markRead(id);
    });

    function receiver(): Receiver {
      const other = conversation.value!.conversationWith;
      return "guid" in other ? { guid: other.guid } : { uid: other.uid };
    }

    /** The component asks for messages when a room is opened, and when its top is reached. */
    function fetchMessages({ room, options }: Told): void {
      open.value = room.roomId;
      if (!options?.reset) void query.value?.loadOlder();
    }

    function send({ content, files, replyMessage }: Told): void {
      const sent = chat.send(receiver(), {
        ...(content ? { text: content } : {}),
        ...(files?.length ? { files: files.map((file) => fileOf(file)) } : {}),
        ...(replyMessage ? { quotedMessageId: replyMessage._id } : {}),
      });
      if (files?.length) sentFiles.set(sent.key, files.map(({ name, type, extension = "", localUrl = "" }) => ({ name, type, extension, url: localUrl, localUrl })));
    }

    const events: Record<string, (told: Told) => unknown> = {
      "fetch-messages": fetchMessages,
      "send-message": send,
      "edit-message": ({ messageId, newContent }) => chat.edit(messageId, { text: newContent }).catch(report),
      "delete-message": ({ message }) => chat.delete(message._id).catch(report),
      "send-message-reaction": ({ messageId, reaction, remove }) =>
        (remove ? chat.unreact(messageId, reaction.unicode) : chat.react(messageId, reaction.unicode)).catch(report),
      "typing-message": ({ roomId, message }) => message && chat.type(roomId),
      "open-failed-message": ({ message }) => chat.retry(message.indexId),
      "open-file": ({ message }) => openFile(chat, message, url),
    };
    // The component's events are DOM events: what they tell is the first element of `detail`.
    const listeners = Object.fromEntries(
      Object.entries(events).map(([name, act]) => {
        return [`on${name[0]!.toUpperCase()}${name.slice(1)}`, ({ detail }: CustomEvent<[Told]>) => act(detail[0])];
      }),
    );

    return () =>
      h("vue-advanced-chat", {
        height: "100vh",
        "current-user-id": uid,
        "room-id": open.value, // else it opens the first room whenever there is a new one
        ".rooms": rooms.value,
        ".roomsLoaded": true,
        ".loadingRooms": conversations.value.length === 0 && status.value.connection.name === "connecting",
        ".messages": messages.value,
        ".messagesLoaded": list.value?.hasOlder === false,
        ".usernameOptions": { minUsers: conversation.value?.conversationType === "group" ? 1 : 3, currentUser: false },
        ".messageActions": MESSAGE_ACTIONS,
        ".showAddRoom": false,
        ".showAudio": false,
        ".roomInfoEnabled": false,
        "emoji-data-source": emojis,
        ...listeners,
      });
  },
});

function fileOf({ blob, name, extension, type }: { blob: Blob; name: string; extension?: string; type: string }): File {
  return new File([blob], extension ? `${name}.${extension}` : name, { type });
}

/** Opens the first file of a message, by a link that has not ended. */
async function openFile(chat: Chat, { _id }: Message, serverUrl: string): Promise<void> {
  const url = await chat.link(_id);
  if (url !== undefined) window.open(new URL(url, serverUrl), "_blank", "noreferrer");
}

/** Shows why the server has refused a change, which the store has taken back. */
function report(error: Error): void {
  alert(error.message);
}
