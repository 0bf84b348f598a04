// The items of a thread, oldest first: days, messages, and between them opt-out changes and internal notes.

import type { ConversationNote, Message, OptoutChange } from '../../../generated/types.gen'

export type ThreadItem =
  | { kind: 'day'; key: string; at: Date }
  | { kind: 'text'; key: string; message: Message; isLastOut: boolean }
  | { kind: 'note'; key: string; note: ConversationNote }
  | { kind: 'change'; key: string; change: OptoutChange; keyword: string | null }

interface Heard {
  /** Newest first, as the API gives them. */
  messages: readonly Message[]
  changes: readonly OptoutChange[]
  notes: readonly ConversationNote[]
  /** Older messages exist, so changes and notes before the oldest one wait until those load. */
  hasOlder: boolean
}

export function threadItems({ messages, changes, notes, hasOlder }: Heard): ThreadItem[] {
  const texts = messages.toReversed()
  const lastOut = messages.find(({ direction }) => direction === 'OUTBOUND')?.id
  const first = texts[0] ? Date.parse(texts[0].createdAt) : 0
  const isShown = ({ createdAt }: { createdAt: string }) =>
    !hasOlder || Date.parse(createdAt) >= first
  const items: { at: number; order: number; item: ThreadItem }[] = [
    ...texts.map((message, i) => ({
      at: Date.parse(message.createdAt),
      // A keyword, its effect, and the reply share one timestamp. They are shown in this order.
      order: i * 2,
      item: {
        kind: 'text' as const,
        key: message.id,
        message,
        isLastOut: message.id === lastOut,
      },
    })),
    ...notes.filter(isShown).map((note) => ({
      at: Date.parse(note.createdAt),
      order: texts.length * 2,
      item: { kind: 'note' as const, key: note.id, note },
    })),
    ...changes.filter(isShown).map((change) => ({
      at: Date.parse(change.createdAt),
      order: orderOf(change, texts),
      item: {
        kind: 'change' as const,
        key: `${change.change} ${change.createdAt}`,
        change,
        keyword: keywordOf(change, texts),
      },
    })),
  ]
  items.sort((a, b) => a.at - b.at || a.order - b.order)
  return withDays(items)
}

/** After the message that caused it, before the reply. */
function orderOf({ createdAt }: OptoutChange, texts: readonly Message[]): number {
  const i = texts.findLastIndex(
    (text) => text.direction === 'INBOUND' && text.createdAt === createdAt,
  )
  return i < 0 ? -1 : i * 2 + 1
}

/** The keyword that was texted, if it is one of these messages. */
function keywordOf({ source, createdAt }: OptoutChange, texts: readonly Message[]): string | null {
  if (source !== 'keyword') return null
  const near = texts.findLast(
    (text) =>
      text.direction === 'INBOUND' &&
      Math.abs(Date.parse(text.createdAt) - Date.parse(createdAt)) < 1_000,
  )
  const word = near?.body.trim() ?? ''
  return word !== '' && word.length <= 20 ? word.toUpperCase() : null
}

function withDays(items: readonly { at: number; item: ThreadItem }[]): ThreadItem[] {
  const all: ThreadItem[] = []
  let day = ''
  for (const { at, item } of items) {
    const date = new Date(at)
    const own = date.toDateString()
    if (own !== day) all.push({ kind: 'day', key: `day ${own}`, at: date })
    day = own
    all.push(item)
  }
  return all
}
