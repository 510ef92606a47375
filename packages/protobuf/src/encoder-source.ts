import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'

const protobuf3 = 999
const varint = 0
const eightBytes = 1
const lengthDelimited = 2

/** Methods of the writer by type of field. The contract does not use the missing types. */
const writerMethods = new Map<ScalarType, string>([
  [ScalarType.STRING, 'string'],
  [ScalarType.BYTES, 'bytes'],
  [ScalarType.BOOL, 'bool'],
  [ScalarType.INT32, 'int32'],
  [ScalarType.UINT32, 'uint32'],
  [ScalarType.INT64, 'int64'],
  [ScalarType.UINT64, 'uint64'],
  [ScalarType.DOUBLE, 'double'],
])

/**
 * Generates the source of a function body for a message type, and lists the types of its message fields in `inner`. The
 * function gets the encoders of these types, also as `inner`, and returns the function `write` of an encoder.
 */
export function encoderSource(schema: DescMessage): { source: string; inner: DescMessage[] } {
  if (Number(schema.file.edition) !== protobuf3) throw new Error('only proto3 is supported')
  const inner: DescMessage[] = []
  const fields = schema.fields.toSorted((a, b) => a.number - b.number).map((field) => fieldSource(field, inner))
  const names = inner.map((_, n) => `const inner${n} = inner[${n}]\n`).join('')
  const source = `${names}return (m, w) => {
let v, s
${fields.join('\n')}
if (m.$unknown) w.unknown(m.$unknown)
}`
  return { source, inner }
}

/** Source that writes one field of the message `m`, if it is set. */
function fieldSource(field: DescField, inner: DescMessage[]): string {
  const access = `m.${field.localName}`
  switch (field.fieldKind) {
    case 'list':
      return `v = ${access}; if (v != null && v.length > 0) { ${listSource(field, inner)} }`
    case 'map':
      return `v = ${access}; if (v != null) for (const k of Object.keys(v)) { ${entrySource(field, inner)} }`
    default:
      return `${presenceSource(field, access)} { ${valueSource(field, field.number, 'v', inner)} }`
  }
}

/** Source that reads a singular field into `v` and tests whether it is set. */
function presenceSource(field: DescField, access: string): string {
  if (field.oneof) {
    const group = `m.${field.oneof.localName}`
    return `if (${group} != null && ${group}.case === '${field.localName}' && (v = ${group}.value) != null)`
  }
  const read = `v = ${access}; if (v != null`
  const isOptional = field.proto.proto3Optional
  if (field.fieldKind === 'message' || isOptional) return `${read})`
  if (field.fieldKind === 'enum') return `${read} && v !== ${field.enum.values[0]?.number ?? 0})`
  switch (field.fieldKind === 'scalar' ? field.scalar : undefined) {
    case ScalarType.STRING:
      return `${read} && v !== '')`
    case ScalarType.BYTES:
      return `${read} && v.length > 0)`
    case ScalarType.BOOL:
      return `${read} && v !== false)`
    default:
      return `${read} && v != 0)`
  }
}

/** Source that writes the value of a variable under a field number. */
function valueSource(field: DescField, number: number, variable: string, inner: DescMessage[]): string {
  const { message } = field
  if (message === undefined) {
    const { method, wireType } = scalarOf(field)
    return `w.${method}(${tagOf(number, wireType)}, ${variable})`
  }
  if (isWrapped(message)) throw new Error(`${message.typeName} is not supported`)
  if (field.fieldKind === 'message' && field.delimitedEncoding) throw new Error('groups are not supported')
  const known = inner.indexOf(message)
  const at = known === -1 ? inner.push(message) - 1 : known
  return `s = w.open(${tagOf(number, lengthDelimited)}); inner${at}.write(${variable}, w); w.close(s)`
}

function listSource(field: DescField & { fieldKind: 'list' }, inner: DescMessage[]): string {
  if (!field.packed) {
    return field.message
      ? `for (const i of v) { const ${valueSource(field, field.number, 'i', inner)} }`
      : `for (const i of v) ${valueSource(field, field.number, 'i', inner)}`
  }
  const numeric = field.listKind === 'enum' || field.scalar === ScalarType.INT32
  if (!numeric) throw new Error(`a list like ${field.name} is not supported`)
  return `s = w.open(${tagOf(field.number, lengthDelimited)}); for (const i of v) w.packed(i); w.close(s)`
}

function entrySource(field: DescField & { fieldKind: 'map' }, inner: DescMessage[]): string {
  if (field.mapKey !== ScalarType.STRING) throw new Error(`the keys of ${field.name} are not supported`)
  const value = valueSource(field, 2, 'i', inner)
  return `const e = w.open(${tagOf(field.number, lengthDelimited)}), i = v[k]; w.string(${tagOf(1, lengthDelimited)}, k); ${value}; w.close(e)`
}

function scalarOf(field: DescField): { method: string; wireType: number } {
  const type = field.scalar ?? ScalarType.INT32
  const method = writerMethods.get(type)
  if (method === undefined) throw new Error(`the type of ${field.name} is not supported`)
  if (type === ScalarType.DOUBLE) return { method, wireType: eightBytes }
  return { method, wireType: type === ScalarType.STRING || type === ScalarType.BYTES ? lengthDelimited : varint }
}

/** Whether protobuf-es represents this type as a plain value in the message that contains it. */
const isWrapped = ({ typeName }: DescMessage) => /^google\.protobuf\.(\w+Value|Value|Struct)$/.test(typeName)

const tagOf = (number: number, wireType: number) => ((number << 3) | wireType) >>> 0
