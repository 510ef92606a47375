import { clone, ScalarType, toJsonString, type DescField, type DescMessage } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { EventSchema, type Event } from '@parley/contracts/internal'

const factSchemas = new Map<string | undefined, DescMessage>(
  EventSchema.oneofs
    .find(({ name }) => name === 'fact')
    ?.fields.flatMap(({ localName, message }) => (message ? [[localName, message] as const] : [])),
)

/** Kept although they are no ids: keywords, and names of rooms and roles. */
const keptTexts = new Set([
  'CallFact.source',
  'CredentialsEndedFact.reason',
  'PolicyDecision.permission',
  'PolicyRole.name',
  'RoomCreatedFact.name',
  'RoomEvent.aggregate_type',
  'RoomEvent.kind',
  'RoomHeaderAfter.name',
  'RoomUpdatedFact.name',
  'VideoState.reason_code',
  'VideoState.status',
])
const idFieldName = /(^|_)(id|ids|key)$/
/** Ids and keywords contain neither white space nor "@", unlike sentences and e-mail addresses. */
const keywordPattern = /^[^\s@]{0,128}$/

/**
 * Encodes a fact as protobuf JSON, without bytes and without texts other than ids, the fields of `keptTexts`, and
 * keywords in details. An unknown fact becomes `{}`.
 */
export function payloadOf(fact: Event['fact']): string {
  const schema = factSchemas.get(fact.case)
  if (schema === undefined || fact.value === undefined) return '{}'
  const kept = reflect(schema, clone(schema, fact.value))
  removeTexts(kept)
  return toJsonString(schema, kept.message)
}

function removeTexts(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue
    if (field.fieldKind === 'message') removeTexts(message.get(field))
    else if (field.fieldKind === 'list' && field.listKind === 'message') {
      for (const item of message.get(field)) removeTexts(item as ReflectMessage)
    } else if (field.fieldKind === 'map' && field.mapKind === 'message') {
      for (const item of message.get(field).values()) removeTexts(item as ReflectMessage)
    } else if (isDetails(field)) keepKeywords(message, field)
    else if (!isKept(field)) message.clear(field)
  }
}

const isDetails = (field: DescField): field is DescField & { fieldKind: 'map' } =>
  field.fieldKind === 'map' && field.parent.name === 'DetailsFact'

function keepKeywords(message: ReflectMessage, field: DescField & { fieldKind: 'map' }): void {
  const details = message.get(field)
  for (const [name, value] of details) if (!areKeywords(String(name), String(value))) details.delete(name)
}

const areKeywords = (name: string, value: string): boolean =>
  (/_(ids|names)$/.test(name) ? value.split(' ') : [value]).every((part) => keywordPattern.test(part))

function isKept(field: DescField): boolean {
  if (field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES) return true
  if (field.scalar === ScalarType.BYTES) return false
  return idFieldName.test(field.name) || keptTexts.has(`${field.parent.name}.${field.name}`)
}
