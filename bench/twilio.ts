// CPU time of a send through the Twilio-compatible API, relative to one through our own. Both go to one service and take
// turns, and the median ratio counts. Target: 1.3 or less.

import { accountSid, serviceSid } from '../src/twilio/sids.js'
import { median, sendLoad } from './accept.js'
import { type Load, measureLoad } from './load.js'
import { cpuUs, databaseCpuUs, openStage, type Running, type Stage, startServer } from './stage.js'

const ROUNDS = 9
const SECONDS = 4

export async function run() {
  const stage = await openStage()
  const server = await startServer(stage, { LONGCODE_ROLES: 'api' })
  const own: Cost[] = []
  const twilio: Cost[] = []
  const load = sendLoad(stage)
  for (const warmed of [load, twilioLoad(stage)]) await takeTurn(stage, server, warmed)
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await takeTurn(stage, server, load))
    twilio.push(await takeTurn(stage, server, twilioLoad(stage)))
  }
  await server.stop()
  await stage.close()
  const total = ({ serviceUs, databaseUs }: Cost) => serviceUs + databaseUs
  const ratios = twilio.map((one, i) => total(one) / total(own[i]!))
  const line = (name: string, costs: readonly Cost[]) => {
    const per = (key: keyof Cost) => Math.round(median(costs.map((one) => one[key])))
    const failures = costs.reduce((sum, one) => sum + one.failures, 0)
    return `${name} ${per('serviceUs')} µs service CPU, ${per('databaseUs')} µs database CPU, ${failures} failures`
  }
  return {
    lines: [
      line('/v1/message/send          ', own),
      line('/2010-04-01/…/Messages.json', twilio),
      `ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

interface Cost {
  serviceUs: number
  databaseUs: number
  failures: number
}

async function takeTurn({ db }: Stage, { pid, port }: Running, load: Load): Promise<Cost> {
  const before = [cpuUs(pid), await databaseCpuUs(db)] as const
  // Without a warm-up, every message counts that was paid for in CPU time.
  const { count, failures } = await measureLoad({
    ...load,
    port,
    seconds: SECONDS,
    warmUpSeconds: 0,
  })
  return {
    serviceUs: (cpuUs(pid) - before[0]) / count,
    databaseUs: ((await databaseCpuUs(db)) - before[1]) / count,
    failures,
  }
}

/** What the official packages send. An access token works as the password. */
function twilioLoad(stage: Stage): Load {
  const sid = accountSid(stage.accountId)
  const form = new URLSearchParams({
    MessagingServiceSid: serviceSid(stage.campaignId),
    To: '+14155550107',
    Body: 'Your table is ready',
  })
  return {
    ...sendLoad(stage),
    path: `/2010-04-01/Accounts/${sid}/Messages.json`,
    bodies: [form.toString()],
    headers: {
      authorization: `Basic ${Buffer.from(`${sid}:${stage.token}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  }
}
