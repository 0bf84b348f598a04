// A carrier link for tests, behind the port of the messages module: it returns the given results and remembers
// what was submitted.

import { networkOf } from '../src/carriers/simulator.js'
import { noteReply } from '../src/inbox/note-reply.js'
import { startLoop } from '../src/kit/worker-loop.js'
import type { World } from '../src/kit/world.js'
import {
  type Carrier,
  type CarrierListener,
  permitFor,
  type Submission,
  type SubmitAnswer,
} from '../src/messages/carrier-port.js'
import { createMessageRoom, type MessageRoom } from '../src/messages/message-room.js'
import { beforeStop } from './harness.js'
import { takeTurns } from './turns.js'

const MISSED: SubmitAnswer = { kind: 'window_missed' }

export interface FakeCarrier extends Carrier {
  submitted: Submission[]
  /** The link reports that it is down, until it comes back. */
  goDown: () => void
  comeUp: () => void
}

/** Invalid results are allowed, because some tests need them. */
export type Answering = (submission: Submission) => SubmitAnswer | unknown

export function fakeCarrier(answer: Answering = () => ({ kind: 'sent' })): FakeCarrier {
  const submitted: Submission[] = []
  let isUp = true
  return {
    name: 'fake',
    networkOf,
    submitted,
    isUp: () => isUp,
    goDown: () => {
      isUp = false
    },
    comeUp: () => {
      isUp = true
    },
    submit: (submissions) =>
      Promise.all(
        submissions.map(async (submission) => {
          const permit = await permitFor(submission, 'fake')
          if (permit === null) return MISSED
          submitted.push(submission)
          return (await answer(submission)) as SubmitAnswer
        }),
      ),
    start: async () => {},
    stop: async () => {},
  }
}

export interface FakeRoom extends MessageRoom {
  listener: CarrierListener
  /** Claims what is due now. Submits and records it in the background. */
  step: () => Promise<number>
  /** Dispatches automatically from now on. */
  run: () => void
}

/** A separate message module on the database of a service that does not dispatch. */
export function fakeRoom(world: World, carrier: Carrier): FakeRoom {
  const room = createMessageRoom(world, carrier, noteReply)
  const loops: { stop: () => Promise<void> }[] = []
  beforeStop(world, async () => {
    await Promise.all(loops.map((loop) => loop.stop()))
    await room.stop()
  })
  return {
    ...room,
    step: () => room.dispatchLoop.step(new AbortController().signal),
    run: () => {
      takeTurns(world)
      for (const loop of [room.dispatchLoop, room.settleLoop]) {
        loops.push(startLoop(loop, world.hints))
      }
    },
  }
}
