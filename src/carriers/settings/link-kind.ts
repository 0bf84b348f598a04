// What a kind of link is to the settings: its fields, what they come to, and how one is made. A new kind is
// one of these and a line in link-kinds.ts.

import type { Static, TObject } from 'typebox'
import type { Problem } from '../../kit/settings-file/settings-document.js'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../../messages/carrier-port.js'
import type { OpenSource } from '../providers/number-settings.js'
import type { OpenRegistrar } from '../providers/registration-settings.js'

/** What links are made with. */
type LinkDeps = Pick<World, 'clock' | 'log' | 'metrics' | 'db'>

export interface ReadContext {
  /** The text of a file that the settings name, or why it cannot be had. Relative to the settings' own folder. */
  readFile: (name: string) => { text: string } | { problem: string }
  allowsSimulator: boolean
  /** Where providers call the service. */
  publicUrl: string
}

export interface ReadLink {
  /** Everything that makes the link what it is: where two are equal, a reload leaves the link alone. */
  settings: object
  create: (deps: LinkDeps) => Carrier
  /** The provider account behind it: numbers that are bought there can be sent from by all its links. */
  account?: string
  /** Where numbers are rented from its provider. */
  openNumbers?: () => OpenSource
  /** Where brands and campaigns are registered through its provider. */
  openRegistrar?: () => OpenRegistrar
  /** Puts into force what may change while a link goes on, and is not among the settings above. Never rejects. */
  tune?: (carrier: Carrier) => Promise<void>
}

export interface LinkKind<Fields extends TObject = TObject> {
  /** Beside name, kind and what all links have. */
  fields: Fields
  /** Fields that should come from the environment. */
  secrets: readonly string[]
  /** Whether it holds connections: then only processes that dispatch start it. */
  isConnected: boolean
  /** What no field alone can tell is wrong: paths begin at the link. */
  read: (name: string, own: Static<Fields>, context: ReadContext) => ReadLink | Problem[]
}

/** Keeps the fields' types inside. */
export function defineKind<Fields extends TObject>(kind: LinkKind<Fields>): LinkKind {
  return kind as unknown as LinkKind
}
