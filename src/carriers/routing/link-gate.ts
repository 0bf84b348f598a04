// Whether one link may get messages now. A paused link gets none. A link that refuses several messages in a row for
// the same reason is paused here at once, before it fails the whole queue. While it is paused, occasional messages
// test whether it works again.

import {
  type Failed,
  permitFor,
  type Submission,
  type SubmitAnswer,
} from '../../messages/carrier-port.js'
import type { LinkPause } from '../../messages/link-pause-queries.js'

/** Refusals with the same code, without an acceptance in between, for this many different recipients (or senders). */
export const REFUSALS_IN_A_ROW = 10

export interface RepeatedRefusal {
  code: string
  /** The carrier's code and text, as received. */
  description: string
}

export interface GateDeps {
  /** Returns the pause that applies from now on. */
  pause: (repeated: RepeatedRefusal) => LinkPause
  /** A probe was accepted. */
  resume: () => void
  /** The answer to a message from this number, without asking the carrier. Null: it may be tried. */
  refusalOf: (sender: string) => Failed | null
  noteSender: (sender: string, answer: SubmitAnswer | undefined) => void
}

type Submit = (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>
type Answers = (SubmitAnswer | undefined)[]

const DOWN: SubmitAnswer = { kind: 'down' }

export class LinkGate {
  readonly #deps: GateDeps
  #pause: LinkPause | null = null
  /** One message may pass although the link is paused. */
  #isProbeDue = false
  #run: { code: string; of: Set<string>; accounts: Set<string> } | null = null

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  get pause(): LinkPause | null {
    return this.#pause
  }

  get isOpen(): boolean {
    return this.#pause === null || this.#isProbeDue
  }

  /** The state in the database. */
  follow(pause: LinkPause | null): void {
    if (this.#pause !== null && pause === null) this.#run = null
    if (pause?.code == null) this.#isProbeDue = false
    this.#pause = pause
  }

  allowProbe(): void {
    this.#isProbeDue = this.#pause !== null
  }

  async pass(submissions: readonly Submission[], submit: Submit): Promise<Answers> {
    if (this.#pause === null) return this.#passOpen(submissions, submit)
    if (!this.#isProbeDue || submissions.length === 0) return submissions.map(() => DOWN)
    this.#isProbeDue = false
    const probe = this.#chooseProbe(submissions)
    const [answer] = await submit([probe])
    if (answer?.kind === 'sent') this.#deps.resume()
    return submissions.map((submission) => (submission === probe ? answer : DOWN))
  }

  /** A message from a number that the carrier just refused is not tried. */
  async #passOpen(submissions: readonly Submission[], submit: Submit): Promise<Answers> {
    const refusals = submissions.map(({ from }) => this.#deps.refusalOf(from))
    const passing = submissions.filter((_, i) => refusals[i] === null)
    const results = passing.length === 0 ? [] : await this.#submitGuarded(passing, submit)
    passing.forEach(({ from }, i) => {
      this.#deps.noteSender(from, results[i])
    })
    const answers = this.#watch(passing, results)
    if (passing.length === submissions.length) return answers
    const answered = answers.values()
    return refusals.map((refusal) => refusal ?? answered.next().value)
  }

  /**
   * A message that still waits inside the link when a pause begins gets no permit. It goes to another link, or
   * back.
   */
  async #submitGuarded(
    submissions: readonly Submission[],
    submit: Submit,
  ): Promise<readonly SubmitAnswer[]> {
    const stopped = new Set<Submission>()
    const guarded = submissions.map((submission) => {
      const requestPermit = async (link: string) => {
        const permit = this.#pause === null ? await permitFor(submission, link) : null
        if (this.#pause === null) return permit
        stopped.add(submission)
        return null
      }
      return { ...submission, requestPermit }
    })
    const answers = await submit(guarded)
    if (stopped.size === 0) return answers
    return answers.map((answer, i) =>
      answer.kind === 'window_missed' && stopped.has(submissions[i]!) ? DOWN : answer,
    )
  }

  /**
   * A message of an account without refusals, if there is one, because the others' messages may be refused for
   * their content.
   */
  #chooseProbe(submissions: readonly Submission[]): Submission {
    const refused = this.#run?.accounts
    return submissions.find(({ accountId }) => !refused?.has(accountId)) ?? submissions[0]!
  }

  /** Messages refused for the reason that pauses the link wait instead of failing. */
  #watch(submissions: readonly Submission[], answers: readonly SubmitAnswer[]): Answers {
    const codes = submissions.map((submission, i) => this.#note(submission, answers[i]))
    const paused = this.#pause?.code
    return submissions.map((_, i) => (paused != null && codes[i] === paused ? DOWN : answers[i]))
  }

  /** The code if the answer is a refusal that may concern every message of the link. */
  #note(submission: Submission, answer: SubmitAnswer | undefined): string | null {
    if (answer?.kind === 'sent') this.#run = null
    if (answer?.kind !== 'failed') return null
    const code = codeOf(answer)
    if (code === null) {
      this.#run = null
      return null
    }
    if (this.#run?.code !== code) this.#run = { code, of: new Set(), accounts: new Set() }
    this.#run.of.add(answer.concerns === 'sender' ? submission.from : submission.to)
    this.#run.accounts.add(submission.accountId)
    if (this.#run.of.size >= REFUSALS_IN_A_ROW && this.#pause === null) {
      this.#pause = this.#deps.pause({ code, description: answer.carrierCode ?? code })
    }
    return code
  }
}

/** Without the text, which may contain the recipient. */
function codeOf({ concerns, carrierCode }: Failed): string | null {
  if (!concerns) return null
  return (/^HTTP \d+|^\S{1,60}/.exec(carrierCode ?? '') ?? ['no code'])[0]
}
