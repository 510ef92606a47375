import { type DescField, type DescMessage, type DescOneof, getOption, ScalarType } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { field as fieldRules, FieldRulesSchema, oneof as oneofRules } from '../src/validate.ts'

/**
 * A message in the notation of wire.txt, one property per line: its fields with their rules, its required oneofs, and
 * its reserved numbers and names.
 */
export function messageLines(message: DescMessage): string[] {
  return [
    `message ${message.typeName}`,
    ...message.fields.map(fieldLine),
    ...message.oneofs.filter(isRequired).map((oneof) => `required ${message.typeName} ${oneof.name}`),
    ...message.proto.reservedRange.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, i) => `reserved ${message.typeName} ${start + i}`),
    ),
    ...message.proto.reservedName.map((name) => `reserved ${message.typeName} "${name}"`),
  ]
}

function fieldLine(field: DescField): string {
  const rules = ruleText(reflect(FieldRulesSchema, getOption(field, fieldRules)))
  return `field ${field.parent.typeName} ${field.number} ${label(field)} ${typeName(field)} ${field.name}${rules && ` [${rules}]`}`
}

function label(field: DescField): string {
  if (field.oneof) return `oneof:${field.oneof.name}`
  if (field.proto.proto3Optional) return 'optional'
  return field.fieldKind === 'list' ? 'repeated' : 'plain'
}

function typeName(field: DescField): string {
  if (field.fieldKind === 'map') {
    return `map<${scalarName(field.mapKey)},${field.message?.typeName ?? field.enum?.typeName ?? scalarName(field.scalar)}>`
  }
  return field.message?.typeName ?? field.enum?.typeName ?? scalarName(field.scalar)
}

function scalarName(scalar: ScalarType | undefined): string {
  return scalar === undefined ? 'none' : ScalarType[scalar].toLowerCase()
}

function isRequired(oneof: DescOneof): boolean {
  return getOption(oneof, oneofRules).required
}

/** `min_len=1,max_len=30` and the like, sorted; the rules of elements as `each{...}`. */
function ruleText(rules: ReflectMessage): string {
  return rules.fields
    .filter((rule) => rules.isSet(rule))
    .flatMap((rule) => {
      if (rule.fieldKind === 'message') {
        const inner = ruleText(rules.get(rule))
        return rule.name === 'items' ? `each{${inner}}` : inner
      }
      if (rule.fieldKind === 'list') return `${rule.name}(${[...rules.get(rule)].join(',')})`
      const value: unknown = rules.get(rule)
      return value === true ? rule.name : `${rule.name}=${value}`
    })
    .sort()
    .join(',')
}
