// The part of oidc-provider that tests use. The package has no types.

declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export default class Provider {
    constructor(issuer: string, settings: object)
    callback(): RequestListener
  }
}
