// The numbers of a fake provider: numbers for sale, orders, and ordered numbers with their profiles, in the formats of
// Telnyx, Twilio, and Bandwidth. The test decides what goes wrong.

export interface FakeOrder {
  id: string
  reference: string
  phoneNumber: string
  profileId: string | null
  status: 'pending' | 'success' | 'failure'
}

export interface PurchasedNumber {
  id: string
  phoneNumber: string
  profileId: string | null
  forwardsTo: string | null
}

/** A request about numbers, before it is parsed for one of the providers. */
export interface NumberRequest {
  method: string
  path: string
  query: URLSearchParams
  body: string
}

export type NumberReply = { status: number; body: unknown } | null

/** What happens to one request: cut before or after it is processed, processed with a 500, or another response. */
export type Mishap =
  | 'cut'
  | 'cut after taking'
  | '500 after taking'
  | 'silent'
  | { status: number; body: unknown }

export class FakeNumbers {
  readonly forSale = new Set<string>()
  readonly orders: FakeOrder[] = []
  readonly purchased = new Map<string, PurchasedNumber>()
  readonly profiles = new Map<string, string>()
  /** The outcome of new orders. The test completes pending ones. */
  ordersAre: 'done' | 'pending' | 'refused' = 'done'
  /** Each applies once, to a request whose method and path match. */
  readonly mishaps: { on: RegExp; what: Mishap }[] = []
  #count = 0

  nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}${String(this.#count).padStart(32, '0')}`
  }

  /** Returns null if the number cannot be ordered. */
  order(phoneNumber: string, reference: string, profileId: string | null): FakeOrder | null {
    if (this.ordersAre === 'refused' || !this.forSale.has(phoneNumber)) return null
    this.forSale.delete(phoneNumber)
    const order: FakeOrder = {
      ...{ id: this.nextId('ord'), reference, phoneNumber, profileId, status: 'pending' },
    }
    this.orders.push(order)
    if (this.ordersAre === 'done') this.complete(order)
    return order
  }

  complete(order: FakeOrder): void {
    order.status = 'success'
    const { phoneNumber, profileId } = order
    const purchased = { id: this.nextId('PN'), phoneNumber, profileId, forwardsTo: null }
    this.purchased.set(phoneNumber, purchased)
  }

  purchasedById(id: string): PurchasedNumber | null {
    return [...this.purchased.values()].find((one) => one.id === id) ?? null
  }

  release(id: string): boolean {
    const found = this.purchasedById(id)
    if (found) this.purchased.delete(found.phoneNumber)
    return found !== null
  }

  mishapOf(method: string, path: string): Mishap | null {
    const at = this.mishaps.findIndex(({ on }) => on.test(`${method} ${path}`))
    return at < 0 ? null : this.mishaps.splice(at, 1)[0]!.what
  }
}

/** Returns null for requests that are not about numbers. */
export function telnyxNumbers(numbers: FakeNumbers, asked: NumberRequest): NumberReply {
  const { method, query } = asked
  const [, what = '', id = '', part = ''] = asked.path.split('/').slice(1)
  const fields = asked.body === '' ? {} : JSON.parse(asked.body)
  const ok = (data: unknown): NumberReply => ({ status: 200, body: { data } })
  const orderOf = ({ id, reference, phoneNumber, status }: FakeOrder) => ({
    ...{ id, status, customer_reference: reference, record_type: 'number_order' },
    phone_numbers: [{ id: `p${id}`, phone_number: phoneNumber, status }],
  })
  switch (`${method} ${what}${part && ` ${part}`}`) {
    case 'GET available_phone_numbers': {
      const [code, end] = [
        query.get('filter[national_destination_code]') ?? '',
        query.get('filter[phone_number][ends_with]') ?? '',
      ]
      const isNear = query.get('filter[best_effort]') === 'true'
      const found = [...numbers.forSale].filter((one) => one.endsWith(end))
      const exact = found.filter((one) => one.startsWith(`+1${code}`))
      const shown = exact.length === 0 && isNear ? found : exact
      const region_information = [{ region_type: 'rate_center', region_name: 'SAN FRANCISCO' }]
      return ok(shown.map((phone_number) => ({ phone_number, region_information })))
    }
    case 'POST number_orders': {
      const order = numbers.order(
        fields.phone_numbers[0].phone_number,
        fields.customer_reference,
        fields.messaging_profile_id ?? null,
      )
      if (order) return ok(orderOf(order))
      const errors = [{ code: '85001', title: 'Unavailable', detail: 'Somebody else has it' }]
      return { status: 422, body: { errors } }
    }
    case 'GET number_orders': {
      const reference = query.get('filter[customer_reference]')
      return ok(numbers.orders.filter((one) => one.reference === reference).map(orderOf))
    }
    case 'GET phone_numbers': {
      const found = numbers.purchased.get(`+${query.get('filter[phone_number]')}`)
      return ok(found ? [{ id: found.id, phone_number: found.phoneNumber, status: 'active' }] : [])
    }
    case 'PATCH phone_numbers messaging':
    case 'PATCH phone_numbers voice': {
      const found = numbers.purchasedById(id)
      if (!found) return { status: 404, body: { errors: [{ code: '10005', title: 'Not found' }] } }
      if (part === 'messaging') found.profileId = fields.messaging_profile_id
      else found.forwardsTo = fields.call_forwarding.forwards_to ?? null
      return ok({ id })
    }
    case 'DELETE phone_numbers':
      return numbers.release(id) ? ok({ id }) : { status: 404, body: { errors: [] } }
    case 'GET messaging_profiles': {
      const name = query.get('filter[name]')
      if (name === null) return null
      const found = [...numbers.profiles].filter(([, one]) => one === name)
      return ok(found.map(([id, name]) => ({ id, name })))
    }
    case 'POST messaging_profiles': {
      const profile = numbers.nextId('prf')
      numbers.profiles.set(profile, fields.name)
      return ok({ id: profile, name: fields.name })
    }
    default:
      return null
  }
}

/** Returns null for requests that are not about numbers. */
export function twilioNumbers(numbers: FakeNumbers, asked: NumberRequest): NumberReply {
  const { method, path, query } = asked
  const form = new URLSearchParams(asked.body)
  const id = /(\w+)\.json$/.exec(path)?.[1] ?? ''
  const numberOf = ({ id: sid, phoneNumber: phone_number }: PurchasedNumber) => ({
    sid,
    phone_number,
  })
  if (path.includes('/AvailablePhoneNumbers/')) {
    const wanted = query.get('Contains') ?? query.get('AreaCode') ?? ''
    const found = [...numbers.forSale].filter((one) => one.startsWith(`+1${wanted}`))
    const place = { locality: 'San Francisco', region: 'CA' }
    const available_phone_numbers = found.map((phone_number) => ({ phone_number, ...place }))
    return { status: 200, body: { available_phone_numbers } }
  }
  if (path.endsWith('/IncomingPhoneNumbers.json')) {
    if (method === 'GET') {
      const found = numbers.purchased.get(query.get('PhoneNumber') ?? '')
      return { status: 200, body: { incoming_phone_numbers: found ? [numberOf(found)] : [] } }
    }
    const order = numbers.order(form.get('PhoneNumber')!, form.get('FriendlyName')!, null)
    if (!order) return { status: 400, body: { code: 21422, message: 'Not available' } }
    return { status: 201, body: numberOf(numbers.purchased.get(order.phoneNumber)!) }
  }
  const [, leaving, member] = /\/v1\/Services\/(\w+)\/PhoneNumbers\/(\w+)$/.exec(path) ?? []
  if (method === 'DELETE' && member !== undefined) {
    const held = numbers.purchasedById(member)
    if (held?.profileId !== leaving) return { status: 404, body: '' }
    held!.profileId = null
    return { status: 204, body: '' }
  }
  if (method === 'DELETE') return { status: numbers.release(id) ? 204 : 404, body: '' }
  if (path.endsWith('/v1/Services')) {
    if (method === 'GET') {
      const services = [...numbers.profiles].map(([sid, friendly_name]) => ({ sid, friendly_name }))
      return { status: 200, body: { services, meta: { next_page_url: null } } }
    }
    const sid = numbers.nextId('MG')
    numbers.profiles.set(sid, form.get('FriendlyName')!)
    return { status: 201, body: { sid } }
  }
  const service = /\/v1\/Services\/(\w+)\/PhoneNumbers$/.exec(path)?.[1]
  if (service === undefined) return null
  const found = numbers.purchasedById(form.get('PhoneNumberSid')!)!
  if (found.profileId === service) return { status: 409, body: { code: 21710, message: 'In it' } }
  if (found.profileId !== null) return { status: 409, body: { code: 21712, message: 'In another' } }
  found.profileId = service
  return { status: 201, body: { sid: found.id } }
}

/** Returns null for requests that are not about numbers. Bandwidth documents its XML in prose. */
export function bandwidthNumbers(numbers: FakeNumbers, asked: NumberRequest): NumberReply {
  const { method, path, query, body } = asked
  const [what = '', id = ''] = path.split('/').slice(5)
  const textOf = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? ''
  const number = `+1${textOf('TelephoneNumber')}`
  const statusOf = ({ status }: FakeOrder) =>
    ({ pending: 'RECEIVED', success: 'COMPLETE', failure: 'FAILED' })[status]
  switch (`${method} ${what}`) {
    case 'GET availableNumbers': {
      const start = query.get('npaNxxx') ?? query.get('areaCode') ?? ''
      const found = [...numbers.forSale].filter((one) => one.startsWith(`+1${start}`))
      const details = found.map(
        (one) =>
          `<TelephoneNumberDetail><City>SAN FRANCISCO</City><State>CA</State><FullNumber>${one.slice(2)}</FullNumber></TelephoneNumberDetail>`,
      )
      const list = `<TelephoneNumberDetailList>${details.join('')}</TelephoneNumberDetailList>`
      return { status: 200, body: `<SearchResult>${list}</SearchResult>` }
    }
    case 'POST orders': {
      const order = numbers.order(number, textOf('CustomerOrderId'), textOf('PeerId'))
      if (order) {
        const status = `<OrderStatus>${statusOf(order)}</OrderStatus>`
        return { status: 201, body: `<OrderResponse>${status}</OrderResponse>` }
      }
      const error =
        '<Error><Code>5005</Code><Description>Somebody else has it</Description></Error>'
      return { status: 400, body: `<OrderResponse>${error}</OrderResponse>` }
    }
    case 'GET orders': {
      const own = numbers.orders.filter((one) => one.reference === query.get('customerOrderId'))
      const listed = own.map(
        (one) =>
          `<OrderIdUserIdDate><CustomerOrderId>${one.reference}</CustomerOrderId><OrderStatus>${statusOf(one)}</OrderStatus></OrderIdUserIdDate>`,
      )
      return {
        status: 200,
        body: `<ResponseSelectWrapper>${listed.join('')}</ResponseSelectWrapper>`,
      }
    }
    case 'GET sites': {
      const [peer = '', , tn = ''] = path.split('/').slice(8)
      return { status: numbers.purchased.get(`+1${tn}`)?.profileId === peer ? 200 : 404, body: '' }
    }
    case 'POST sites': {
      const found = numbers.purchased.get(`+1${textOf('FullNumber')}`)
      if (found) found.profileId = path.split('/')[8]!
      return { status: found ? 200 : 404, body: '' }
    }
    case 'GET inserviceNumbers':
      return { status: numbers.purchased.has(`+1${id}`) ? 200 : 404, body: '' }
    case 'POST disconnects': {
      const found = numbers.purchased.get(number)
      if (found) numbers.release(found.id)
      return { status: 201, body: '<DisconnectTelephoneNumberOrderResponse/>' }
    }
    default:
      return null
  }
}
