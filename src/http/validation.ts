// Has Fastify check requests by our own validation, which speaks in sentences.

import type { FastifyInstance } from 'fastify'
import { compileBodyCheck, compileTextCheck } from '../kit/validation.js'

export function useValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const isBody = httpPart === 'body'
    const check = (isBody ? compileBodyCheck : compileTextCheck)(schema as object)
    return (data: unknown) => {
      // No body at all is an empty one: the first required field is then what is missing.
      const value = isBody && data === undefined ? {} : data
      const refusal = check(value)
      return refusal ? { error: refusal } : { value }
    }
  })
}
