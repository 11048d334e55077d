/** A small set of emoji, each with the words by which it is found. */

const LINES = `
😀 grin happy smile|😄 laugh happy|😂 tears joy funny|🤣 rolling floor laughing|😊 blush smile|🙂 smile slight|😉 wink|😍 love heart eyes
😘 kiss|😎 cool sunglasses|🤩 star struck wow|🥳 party celebrate|🤔 think hmm|🤨 doubt eyebrow|😐 neutral|😴 sleep tired
😅 sweat phew|😢 cry sad|😭 sob cry|😡 angry|🤯 mind blown|😱 scream fear|🥺 please pleading|😇 angel innocent
🙃 upside down irony|😬 grimace awkward|🤗 hug|🤫 hush quiet|🤝 handshake deal|👍 thumbs up yes good|👎 thumbs down no bad|👏 clap applause
🙌 hooray hands|🙏 please thanks pray|💪 strong muscle|👋 wave hello bye|✌️ peace victory|🤞 fingers crossed luck|👌 ok perfect|👀 eyes look
❤️ heart love red|🧡 heart orange|💚 heart green|💙 heart blue|💜 heart purple|💔 broken heart|💯 hundred perfect|✨ sparkles shine
🔥 fire hot|⭐ star|🌟 star glowing|⚡ lightning fast|☀️ sun weather|🌧️ rain weather|❄️ snow cold|🌈 rainbow
🎉 party tada celebrate|🎂 cake birthday|🎁 gift present|🏆 trophy win|🎯 target goal|🚀 rocket launch ship|💡 idea bulb|🐛 bug
✅ check done yes|❌ cross no wrong|⚠️ warning|❓ question|❗ exclamation|➕ plus add|🔔 bell notify|📌 pin
📎 paperclip file|📅 calendar date|📈 chart growth|📝 note write|📦 package ship|🔒 lock secure|🔑 key|🛠️ tools fix
💻 laptop computer|📱 phone mobile|☕ coffee|🍵 tea|🍕 pizza|🍰 cake dessert|🍎 apple fruit|🍺 beer cheers
🚲 bike bicycle|🚗 car|✈️ plane travel|🏔️ mountain hike|🏖️ beach holiday|🌱 plant grow seedling|🌳 tree|🌻 flower sun
🐶 dog|🐱 cat|🦊 fox|🐻 bear|🐝 bee|🦉 owl|🎵 music note|⚽ football soccer`;

export interface Emoji {
  emoji: string;
  words: string;
}

export const EMOJI: readonly Emoji[] = LINES.trim()
  .split(/[|\n]/)
  .map((entry) => {
    const [emoji = "", ...words] = entry.split(" ");
    return { emoji, words: words.join(" ") };
  });

export const QUICK = ["👍", "❤️", "😂", "🎉", "👀"];

export function findEmoji(wanted: string): readonly Emoji[] {
  const words = wanted.trim().toLowerCase();
  return words ? EMOJI.filter((each) => each.words.includes(words)) : EMOJI;
}
