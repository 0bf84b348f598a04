// How replies look on a phone: the keyword someone texts, and the reply.

import { type KeywordValues, KINDS } from './keyword-values'

export function ReplyPreview({ values }: { values: KeywordValues }) {
  return (
    <section
      aria-label="Phone preview"
      className="mx-auto flex w-full max-w-75 flex-col overflow-hidden rounded-phone border-4 border-line bg-surface lg:sticky lg:top-10"
    >
      <h2 className="bg-sunken px-4 py-3 text-center text-sm font-semibold">Phone preview</h2>
      <div className="flex flex-col gap-2 p-3">
        {KINDS.map(({ kind }) => (
          <Exchange
            key={kind}
            word={values[`${kind}Keywords`][0] ?? ''}
            reply={values[`${kind}Message`]}
          />
        ))}
      </div>
    </section>
  )
}

function Exchange({ word, reply }: { word: string; reply: string }) {
  return (
    <>
      <p
        dir="auto"
        className="max-w-[85%] self-end rounded-lg bg-bubble-out px-3 py-1.5 wrap-anywhere text-on-bubble-out"
      >
        {word}
      </p>
      <p
        dir="auto"
        className="max-w-[85%] self-start rounded-lg bg-bubble-in px-3 py-1.5 wrap-anywhere whitespace-pre-wrap text-ink"
      >
        {reply.trim() === '' ? <em>default reply</em> : reply}
      </p>
    </>
  )
}
