// What the steps of a setup share: the request, the file, the provider's client, and the report.

import { writeObstacle } from '../../kit/settings-file/replace-file.js'
import type { ProviderWithSetup } from '../providers/providers.js'
import type { ProvisioningClient } from '../providers/provisioning.js'
import { fieldValue, type LinkFile, type LinkFileSource } from './link-file.js'
import type { Lack, SetupReport, SetupRequest, SetupStep, StepName } from './setup.js'

export interface StageDeps {
  file: LinkFile
  client: ProvisioningClient
  source: LinkFileSource
  callbackUrl: string | null
  onStep?: ((step: SetupStep) => void) | undefined
}

export class SetupStage {
  readonly report: SetupReport
  readonly request: SetupRequest
  readonly file: LinkFile
  readonly client: ProvisioningClient
  readonly source: LinkFileSource
  readonly provider: ProviderWithSetup
  /** The current step, which a failure belongs to. */
  at: StepName = 'key'
  readonly #onStep: StageDeps['onStep']

  constructor(request: SetupRequest, { file, client, source, callbackUrl, onStep }: StageDeps) {
    this.request = request
    this.file = file
    this.client = client
    this.source = source
    this.provider = request.provider
    this.#onStep = onStep
    const {
      name: link,
      provider: { name: kind },
    } = request
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
    return fieldValue(this.request, this.file, name)
  }

  get doneOrPlanned(): SetupStep['state'] {
    return this.request.isDryRun ? 'planned' : 'done'
  }

  /** Why the file cannot be written, or null. */
  obstacle(): string | null {
    const { file } = this.source
    return file === null ? 'not set' : writeObstacle(file)
  }

  obstacleText(code = this.obstacle()): string {
    const { file } = this.source
    return file === null
      ? 'LONGCODE_CARRIERS is not set. Put the link in a file, and set LONGCODE_CARRIERS to its path.'
      : `${file} cannot be written (${code}). Give this user write permission, or add the link by hand.`
  }

  /** A provider's error might repeat a secret. */
  #withoutSecrets(text: string): string {
    const secrets = this.provider.setup.fields.filter(({ isSecret }) => isSecret)
    return secrets.reduce((clean, { name }) => {
      const value = this.valueOf(name)
      return value === undefined ? clean : clean.replaceAll(value, '•••')
    }, text)
  }
}
