// Sends one batch of messages over several links. Each message goes to the first link of its route that is up and
// hosts its sender. If that link is down, or throttles and the route allows failover then, the next link gets the
// message. A message with an unknown outcome is never sent again.

import { elapsedMs } from '../../kit/clock.js'
import type { RoutedMessage, Submission, SubmitAnswer } from '../../messages/carrier-port.js'
import type { CarrierRoute, IsHost } from './route-table.js'
import type { RunningLink } from './running-link.js'

export interface RouteDeps {
  routeOf: (message: RoutedMessage, isHost: IsHost) => CarrierRoute | null
  /** Null: the number's host is not known yet. */
  hostTest: (from: string) => IsHost | null
  /** Reads the hosts of these numbers. Null: they are known. Never rejects. */
  readHosts: (from: Iterable<string>) => Promise<unknown> | null
  /** Null: there is no such link right now. */
  linkOf: (name: string) => RunningLink | null
  onFault: (link: string, error: unknown) => void
}

/** One message on its way through its route. */
interface Traveller {
  at: number
  submission: Submission
  triesNext: boolean
  /** The links still to try, best first. */
  links: RunningLink[]
  /** The answer if no link accepts it. */
  last: SubmitAnswer
}

const DOWN: SubmitAnswer = { kind: 'down' }
/** Only the operator can change that, so it is not checked every other second. */
const NO_HOST: SubmitAnswer = { kind: 'down', retryAfterMs: 15_000 }

/** Answers for every submission, in order. Never rejects. */
export async function sendByRoutes(
  submissions: readonly Submission[],
  deps: RouteDeps,
): Promise<SubmitAnswer[]> {
  const answers: SubmitAnswer[] = new Array(submissions.length).fill(DOWN)
  const reading = deps.readHosts(submissions.map(({ from }) => from))
  if (reading) await reading
  const nowMs = elapsedMs()
  const travellers = submissions.map((submission, at): Traveller => {
    const isHost = deps.hostTest(submission.from)
    const route = isHost && deps.routeOf(submission, isHost)
    const names = route ? route.linksFor(submission.to, isHost) : []
    const links = usableLinks(names, deps, nowMs)
    const last = isHost && names.length === 0 ? NO_HOST : DOWN
    return { at, submission, triesNext: route?.triesNext ?? false, links, last }
  })
  await travel(travellers, answers, deps)
  return answers
}

/** The link that would be tried first. Empty if none is up for it. */
export function firstLink(message: RoutedMessage, deps: Omit<RouteDeps, 'onFault'>): string {
  const isHost = deps.hostTest(message.from)
  const names = isHost && deps.routeOf(message, isHost)?.linksFor(message.to, isHost)
  const [first] = usableLinks(names ?? [], deps, elapsedMs())
  return first?.name ?? ''
}

/** Links that have been up for a while come before those that just recovered. */
function usableLinks(
  names: readonly string[],
  deps: Pick<RouteDeps, 'linkOf'>,
  nowMs: number,
): RunningLink[] {
  const ready: RunningLink[] = []
  const settling: RunningLink[] = []
  for (const name of names) {
    const link = deps.linkOf(name)
    const readiness = link?.readiness(nowMs)
    if (readiness === 'ready') ready.push(link!)
    else if (readiness === 'settling') settling.push(link!)
  }
  return settling.length === 0 ? ready : [...ready, ...settling]
}

async function travel(
  travellers: readonly Traveller[],
  answers: SubmitAnswer[],
  deps: RouteDeps,
): Promise<void> {
  const byLink = new Map<RunningLink, Traveller[]>()
  for (const traveller of travellers) {
    const link = nextLink(traveller)
    if (!link) {
      answers[traveller.at] = traveller.last
      continue
    }
    const group = byLink.get(link)
    if (group) group.push(traveller)
    else byLink.set(link, [traveller])
  }
  await Promise.all([...byLink].map(([link, group]) => sendGroup(link, group, answers, deps)))
}

/** A link may have closed since it was chosen. */
function nextLink(traveller: Traveller): RunningLink | null {
  for (;;) {
    const link = traveller.links.shift()
    if (!link) return null
    if (!link.isClosed) return link
  }
}

async function sendGroup(
  link: RunningLink,
  group: readonly Traveller[],
  answers: SubmitAnswer[],
  deps: RouteDeps,
): Promise<void> {
  const submissions = group.map(({ submission }) => submission)
  const results = await link.submit(submissions, (error) => deps.onFault(link.name, error))
  const onward: Traveller[] = []
  group.forEach((traveller, i) => {
    const answer = results[i]!
    if (isForNext(answer, traveller)) {
      // A carrier that is there and asks to slow down says more than one that is not.
      if (answer.kind === 'slow_down') traveller.last = milder(traveller.last, answer)
      if (answer.kind === 'failed') traveller.last = answer
      onward.push(traveller)
    } else answers[traveller.at] = answer
  })
  if (onward.length > 0) await travel(onward, answers, deps)
}

/** Another link may accept a sender that this one refuses, because this one accepted nothing. */
function isForNext(answer: SubmitAnswer, { triesNext }: Traveller): boolean {
  if (answer.kind === 'failed') return answer.concerns === 'sender'
  return answer.kind === 'down' || (answer.kind === 'slow_down' && triesNext)
}

/** The answer that allows an earlier retry. */
function milder(last: SubmitAnswer, answer: SubmitAnswer & { kind: 'slow_down' }): SubmitAnswer {
  if (last.kind !== 'slow_down') return answer
  const isSooner = (answer.retryAfterMs ?? 0) < (last.retryAfterMs ?? 0)
  return isSooner ? answer : last
}
