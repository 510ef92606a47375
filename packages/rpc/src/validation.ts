import { create, getOption, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { pathToString, type Path } from '@bufbuild/protobuf/reflect'
import { createValidator, type Violation } from '@bufbuild/protovalidate'
import { Code, ConnectError } from '@connectrpc/connect'
import { BadRequestSchema } from '@parley/contracts/rpc'
import { field as fieldRules } from '@parley/contracts/validate'
import { findUnstorable } from './storable.ts'

const validator = createValidator()

/**
 * Checks a message against the rules its proto declares. Throws `invalid_argument` with a `google.rpc.BadRequest`
 * detail that names each field with the rule it breaks, never its value.
 */
export function validate<D extends DescMessage>(desc: D, message: MessageShape<D>): void {
  const result = validator.validate(desc, message)
  if (result.kind === 'valid') return
  if (result.kind === 'error') throw result.error
  throw invalid(
    result.violations.map((violation) => ({
      field: pathToString(violation.field),
      description: describe(violation),
    })),
  )
}

/** Throws `invalid_argument` like `validate`, for values that no service can store. `body` is the encoded message. */
export function assertStorable<D extends DescMessage>(desc: D, message: MessageShape<D>, body: Uint8Array): void {
  const found = findUnstorable(desc, message, body)
  if (found.length > 0) throw invalid(found)
}

function invalid(fieldViolations: { field: string; description: string }[]): ConnectError {
  return new ConnectError(
    fieldViolations.map(({ field, description }) => (field ? `${field}: ${description}` : description)).join('; '),
    Code.InvalidArgument,
    undefined,
    [{ desc: BadRequestSchema, value: create(BadRequestSchema, { fieldViolations }) }],
  )
}

function describe({ message, ruleId, field }: Violation): string {
  const values = allowedValues(field.at(-1))
  if (values && ruleId.startsWith('enum.')) return `must be one of ${values.join(', ')} (${ruleId})`
  return message ? `${message} (${ruleId})` : ruleId
}

/**
 * Names of the values that an enum field accepts, for the error: an unknown name in JSON arrives as value 0, whose rule
 * would not tell the sender what is wrong.
 */
function allowedValues(field: Path[number] | undefined): string[] | undefined {
  if (field?.kind !== 'field' || field.enum === undefined) return undefined
  const { type } = getOption(field, fieldRules)
  const refused = type.case === 'enum' ? type.value.notIn : []
  return field.enum.values.filter(({ number }) => !refused.includes(number)).map(({ name }) => name)
}
