// What the steps of a set-up share: the wish, the file as it was found, the provider's desk, and the report that grows.

import { writeObstacle } from '../../kit/settings-file/replace-file.js'
import { WORDS } from '../providers/provider-codes.js'
import type { ProviderDesk } from '../providers/provisioning.js'
import { fieldValue, type LinkFile, type LinkFileSource } from './link-file.js'
import type { Lack, SetupReport, SetupStep, SetupWish, StepName } from './setup.js'
import { SETUP_FIELDS } from './setup-fields.js'

export interface StageDeps {
  file: LinkFile
  desk: ProviderDesk
  source: LinkFileSource
  callbackUrl: string | null
  onStep?: ((step: SetupStep) => void) | undefined
}

export class SetupStage {
  readonly report: SetupReport
  readonly wish: SetupWish
  readonly file: LinkFile
  readonly desk: ProviderDesk
  readonly source: LinkFileSource
  readonly words: { title: string; container: string }
  /** The step under way: what fails is its failure. */
  at: StepName = 'key'
  readonly #onStep: StageDeps['onStep']

  constructor(wish: SetupWish, { file, desk, source, callbackUrl, onStep }: StageDeps) {
    this.wish = wish
    this.file = file
    this.desk = desk
    this.source = source
    this.words = WORDS[wish.kind]
    this.#onStep = onStep
    const { name: link, kind } = wish
    this.report = { link, kind, callbackUrl, steps: [], missing: [], yaml: null }
  }

  say(state: SetupStep['state'], text: string): void {
    const step = { step: this.at, state, text: this.#withoutSecrets(text) }
    this.report.steps.push(step)
    this.#onStep?.(step)
  }

  lack(what: Lack['what'], text: string, remedy: string): void {
    this.report.missing.push({ what, text, remedy })
  }

  valueOf(name: string): string | undefined {
    return fieldValue(this.wish, this.file, name)
  }

  get doneOrPlanned(): SetupStep['state'] {
    return this.wish.isDryRun ? 'planned' : 'done'
  }

  /** Why the file cannot be written; null where nothing is in the way. */
  obstacle(): string | null {
    const { file } = this.source
    return file === null ? 'not set' : writeObstacle(file)
  }

  obstacleText(code = this.obstacle()): string {
    const { file } = this.source
    return file === null
      ? 'LONGCODE_CARRIERS is not set: put the link into a file, and set LONGCODE_CARRIERS to its name.'
      : `${file} cannot be written (${code}): give this user the right to, or put the link into it by hand.`
  }

  /** A provider might repeat what it was shown. */
  #withoutSecrets(text: string): string {
    const secrets = SETUP_FIELDS[this.wish.kind].filter(({ isSecret }) => isSecret)
    return secrets.reduce((clean, { name }) => {
      const value = this.valueOf(name)
      return value === undefined ? clean : clean.replaceAll(value, '•••')
    }, text)
  }
}
