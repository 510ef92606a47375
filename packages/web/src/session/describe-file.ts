import { createFileRegistry, type DescEnum, type DescFile, type DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt'

type Plain = Readonly<Record<string, unknown>>
type PlainField = { readonly typeName?: string }
type PlainMessage = Plain & {
  readonly name: string
  readonly field?: readonly PlainField[]
  readonly nestedType?: readonly PlainMessage[]
  readonly options?: { readonly mapEntry?: boolean }
}
type PlainMethod = { readonly inputType: string; readonly outputType: string }
type PlainFile = Plain & {
  readonly name: string
  readonly package: string
  readonly messageType?: readonly PlainMessage[]
  readonly service?: readonly { readonly method?: readonly PlainMethod[] }[]
}

const none: readonly never[] = []
const message = { field: none, nestedType: none, enumType: none, extension: none, oneofDecl: none }

/** Defaults of descriptor fields that the library reads, by the list that contains the descriptor. */
const defaults: Readonly<Record<string, object>> = {
  messageType: message,
  nestedType: message,
  field: { label: 1, typeName: '', extendee: '', defaultValue: '', oneofIndex: 0, proto3Optional: false },
  enumType: { value: none },
  value: {},
  oneofDecl: {},
  service: { method: none },
  method: { clientStreaming: false, serverStreaming: false },
}
const fileDefaults = {
  $typeName: 'google.protobuf.FileDescriptorProto',
  ...{ package: '', syntax: '', edition: 0, messageType: none, enumType: none, service: none, extension: none },
}

/**
 * Creates the descriptor of a contract file. `json`: the file descriptor decoded by the build, without empty fields.
 * The fields of a message are described on first use, because a start uses few messages.
 */
export function describeFile(json: string, imports: readonly DescFile[]): DescFile {
  const plain = JSON.parse(json) as PlainFile
  const methodTypes = (plain.service ?? none).flatMap(({ method = none }) =>
    method.flatMap(({ inputType, outputType }) => [inputType, outputType]),
  )
  const shell = { ...plain, messageType: (plain.messageType ?? none).map(withoutFields) }
  const file = describe(shell, findTypes(methodTypes, imports))
  const visible = [file, ...imports]
  file.messages.forEach((one, at) => describeLater(one, plain.messageType?.[at], plain, visible))
  return file
}

/** Describes a file whose fields and methods use the types `used` of other files. */
function describe(plain: Plain & { readonly name: string }, used: readonly (DescMessage | DescEnum)[]): DescFile {
  const proto = withDefaults(fileDefaults, { ...plain, dependency: [others] }) as FileDescriptorProto
  const file = createFileRegistry(proto, () => fileOf(used)).getFile(plain.name)
  if (!file) throw new Error(`${plain.name} is not described`)
  return Object.assign(file, { dependencies: [] })
}

const others = 'others'
/** A file with only the properties that the library reads to find types. */
const fileOf = (used: readonly (DescMessage | DescEnum)[]): DescFile =>
  ({
    ...{ kind: 'file', proto: { name: others }, dependencies: none, services: none, extensions: none },
    messages: used.filter(({ kind }) => kind === 'message'),
    enums: used.filter(({ kind }) => kind === 'enum'),
  }) as unknown as DescFile

/** A message without its fields, and without the map entries that belong to them. */
const withoutFields = ({ field: _, oneofDecl: __, nestedType = none, ...rest }: PlainMessage): PlainMessage => ({
  ...rest,
  nestedType: nestedType.filter((one) => !isEntry(one)).map(withoutFields),
})
const isEntry = ({ options }: PlainMessage): boolean => options?.mapEntry === true

type Fields = Pick<DescMessage, 'fields' | 'field' | 'oneofs' | 'members'>

/** Describes the fields of a message and of its nested messages on first access. */
function describeLater(
  shell: DescMessage,
  plain: PlainMessage | undefined,
  file: PlainFile,
  visible: readonly DescFile[],
): void {
  if (!plain) return
  let known: Fields | undefined
  const fields = () => (known ??= fieldsOf(shell, plain, file, visible))
  Object.defineProperties(shell, {
    fields: { get: () => fields().fields },
    field: { get: () => fields().field },
    oneofs: { get: () => fields().oneofs },
    members: { get: () => fields().members },
  })
  const inner = (plain.nestedType ?? none).filter((one) => !isEntry(one))
  shell.nestedMessages.forEach((one, at) => describeLater(one, inner[at], file, visible))
}

/** Describes a message in a separate file with the same type name, and moves the resulting fields to the shell. */
function fieldsOf(shell: DescMessage, plain: PlainMessage, file: PlainFile, visible: readonly DescFile[]): Fields {
  const { enumType: _, nestedType = none, ...rest } = plain
  const entries = nestedType.filter(isEntry)
  const names = [plain, ...entries].flatMap(({ field = none }) => field.flatMap(({ typeName }) => typeName ?? none))
  const scope = shell.typeName.slice(0, -(plain.name.length + 1))
  const alone = {
    ...file,
    package: scope,
    enumType: none,
    service: none,
    messageType: [{ ...rest, nestedType: entries }],
  }
  const [described] = describe(alone, findTypes(names, visible)).messages
  if (!described) throw new Error(`${shell.typeName} is not described`)
  for (const field of described.fields) {
    Object.assign(field, { parent: shell }, field.message === described && { message: shell })
    if (field.oneof) Object.assign(field.oneof, { parent: shell })
  }
  return { fields: described.fields, field: described.field, oneofs: described.oneofs, members: described.members }
}

type Types = ReadonlyMap<string, DescMessage | DescEnum>
const typesOfFiles = new WeakMap<DescFile, Types>()

function typesOf(file: DescFile): Types {
  let types = typesOfFiles.get(file)
  if (!types) {
    const all = [...nestedTypes(file)].filter((one) => one.kind === 'message' || one.kind === 'enum')
    types = new Map(all.map((one) => [one.typeName, one]))
    typesOfFiles.set(file, types)
  }
  return types
}

/** Finds the types with these names in the files. Other names are ignored. */
function findTypes(names: readonly string[], files: readonly DescFile[]): (DescMessage | DescEnum)[] {
  const found = [...new Set(names)].map((name) => {
    const typeName = name.replace(/^\./, '')
    return files.map((file) => typesOf(file).get(typeName)).find((type) => type !== undefined)
  })
  return found.filter((type) => type !== undefined)
}

function withDefaults(absent: object, plain: Plain): object {
  const result: Record<string, unknown> = Object.assign(Object.create(absent) as object, plain)
  for (const name in plain) {
    const [list, ofParts] = [plain[name], defaults[name]]
    if (ofParts && Array.isArray(list)) result[name] = list.map((part: Plain) => withDefaults(ofParts, part))
  }
  return result
}
