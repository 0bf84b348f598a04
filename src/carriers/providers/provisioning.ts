// What setting up needs of a provider, whichever it is: its key tried, the place that holds numbers found or made, its
// numbers, one message. A desk keeps nothing: everything is looked for by its name first.

/** What the provider must know to call us. */
export interface Callbacks {
  url: string | null
  /** Bandwidth shows them with every call; `isNew`: it cannot know the password yet. */
  user?: string
  password?: string
  isNew?: boolean
}

export interface Container {
  id: string
  /** What is not as wanted, in words; nothing where all is. */
  differs: string[]
}

export interface HeldNumber {
  id: string
  phoneNumber: string
  /** Null: in none, or it is not told. */
  containerId: string | null
}

interface AccountWord {
  /** What stands there, such as the money left. */
  text: string | null
  hasNoMoney: boolean
  isTrial: boolean
}

/** Of a test message. Waiting: nobody has said yet. */
export interface TestOutcome {
  state: 'waiting' | 'delivered' | 'unconfirmed' | 'failed'
  /** The provider's own words. */
  text: string
  code: string | null
}

/** Every one of them throws a DeskFault. */
export interface ProviderDesk {
  /** Resolves where the key is good. */
  check: () => Promise<AccountWord>
  /** Base64; null where it does not say. Absent: its calls are known by something else. */
  publicKey?: () => Promise<string | null>
  findContainer: (name: string, callbacks: Callbacks) => Promise<Container | null>
  createContainer: (name: string, callbacks: Callbacks) => Promise<string>
  changeContainer: (id: string, callbacks: Callbacks) => Promise<void>
  listNumbers: () => Promise<HeldNumber[]>
  /** Absent: numbers come into it by their location. */
  putNumber?: (number: HeldNumber, containerId: string) => Promise<void>
  /** Whether its location is tied to the application, or any is. Absent: there are no locations. */
  isTied?: (containerId: string) => Promise<boolean>
  tie?: (containerId: string) => Promise<void>
  /** Null: it does not tell. */
  isRegistered: (number: HeldNumber, containerId: string) => Promise<boolean | null>
  /** The id of the message there. Bandwidth calls where its application says, the others at the address given. */
  send: (message: {
    from: string
    to: string
    text: string
    containerId: string
    statusUrl: string | null
  }) => Promise<string>
  outcomeOf: (messageId: string) => Promise<TestOutcome>
  close: () => Promise<void>
}
