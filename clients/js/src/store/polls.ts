/** The state of polls: counts, which are the same for everybody, and this person's own votes. */

import type { PollMessage } from "../generated/realtime.js";
import type { MessageRow } from "./rows.js";

type Poll = NonNullable<PollMessage["data"]["poll"]>;
type Data = MessageRow["data"];

function pollOf(data: Data | undefined): Poll | undefined {
  return data?.poll as Poll | undefined;
}

function own(poll: Poll | undefined): number[] {
  return (poll?.options ?? []).flatMap(({ votedByMe }, option) => (votedByMe ? [option] : []));
}

function marked({ votedByMe: _, ...option }: Poll["options"][number], isMine: boolean): Poll["options"][number] {
  return isMine ? { ...option, votedByMe: true } : option;
}

/** Returns data in which this person has voted for these options, and for no others; the counts stay. */
export function withOwnVotes(data: Data, votes: readonly number[]): Data {
  const poll = pollOf(data);
  if (!poll) return data;
  const options = poll.options.map((each, option) => marked(each, votes.includes(option)));
  return { ...data, poll: { ...poll, options } };
}

/** Returns data with the poll as an event tells it: whose votes they are is not in it. */
export function withPoll(data: Data, poll: unknown): Data {
  return pollOf(data) ? withOwnVotes({ ...data, poll }, own(pollOf(data))) : data;
}

/** Returns data of an event with this person's votes, as they are known. */
export function withVotesOf(data: Data, known: Data | undefined): Data {
  const votes = own(pollOf(known));
  return votes.length > 0 ? withOwnVotes(data, votes) : data;
}

/** Shows a vote before the server has confirmed it: the counts, too. */
export function showVotes(votes: readonly number[]): (message: MessageRow) => MessageRow {
  return (message) => {
    const poll = pollOf(message.data);
    if (!poll) return message;
    const before = own(poll);
    const voters = poll.voters + Number(votes.length > 0) - Number(before.length > 0);
    const options = poll.options.map((each, option) => ({
      ...each,
      votes: each.votes + Number(votes.includes(option)) - Number(before.includes(option)),
    }));
    return { ...message, data: withOwnVotes({ ...message.data, poll: { ...poll, voters, options } }, votes) };
  };
}
