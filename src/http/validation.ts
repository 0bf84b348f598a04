// Makes Fastify use our validation, which describes problems in sentences.

import type { FastifyInstance } from 'fastify'
import { compileBodyCheck, compileTextCheck } from '../kit/contract/validation.js'

export function useValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const compile = httpPart === 'body' ? compileBodyCheck : compileTextCheck
    const check = compile(schema as object)
    return (value: unknown) => {
      const refusal = check(value)
      return refusal ? { error: refusal } : { value }
    }
  })
}
