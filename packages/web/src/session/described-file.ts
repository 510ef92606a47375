import { createFileRegistry, type DescEnum, type DescFile, type DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt'

type Plain = Readonly<Record<string, unknown>>
type PlainType = { readonly typeName?: string }
type PlainMessage = Plain & {
  readonly name: string
  readonly field?: readonly PlainType[]
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

/** What the library reads of descriptors though it was not set, by the lists that they are in. */
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
 * Describes a file of the contract from what the build has decoded: `json` holds its descriptor without empty fields.
 * The fields of a message are described when they are first needed: a start needs few of the messages, and describing
 * all of them took a tenth of it on a slow device.
 */
export function describedFile(json: string, imports: readonly DescFile[]): DescFile {
  const plain = JSON.parse(json) as PlainFile
  const called = (plain.service ?? none).flatMap(({ method = none }) =>
    method.flatMap(({ inputType, outputType }) => [inputType, outputType]),
  )
  const shell = { ...plain, messageType: (plain.messageType ?? none).map(withoutFields) }
  const file = describe(shell, named(called, imports))
  const visible = [file, ...imports]
  file.messages.forEach((one, at) => describeLater(one, plain.messageType?.[at], plain, visible))
  return file
}

/** The file of a descriptor whose fields and methods use these types of other files. */
function describe(plain: Plain & { readonly name: string }, used: readonly (DescMessage | DescEnum)[]): DescFile {
  const proto = whole(fileDefaults, { ...plain, dependency: [others] }) as FileDescriptorProto
  const file = createFileRegistry(proto, () => fileOf(used)).getFile(plain.name)
  if (!file) throw new Error(`${plain.name} is not described`)
  return Object.assign(file, { dependencies: [] })
}

const others = 'others'
/** All that the library looks at in a file for its types. */
const fileOf = (used: readonly (DescMessage | DescEnum)[]): DescFile =>
  ({
    ...{ kind: 'file', proto: { name: others }, dependencies: none, services: none, extensions: none },
    messages: used.filter(({ kind }) => kind === 'message'),
    enums: used.filter(({ kind }) => kind === 'enum'),
  }) as unknown as DescFile

/** A message as the library knows it before it has looked at its fields. Entries of maps belong to the fields. */
const withoutFields = ({ field: _, oneofDecl: __, nestedType = none, ...rest }: PlainMessage): PlainMessage => ({
  ...rest,
  nestedType: nestedType.filter((one) => !isEntry(one)).map(withoutFields),
})
const isEntry = ({ options }: PlainMessage): boolean => options?.mapEntry === true

type Fields = Pick<DescMessage, 'fields' | 'field' | 'oneofs' | 'members'>

/** Describes the fields of a message, and those of the messages in it, as soon as something asks for them. */
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

/** The library describes the message alone, in a file of its own that names it alike; its fields become the shell's. */
function fieldsOf(shell: DescMessage, plain: PlainMessage, file: PlainFile, visible: readonly DescFile[]): Fields {
  const { enumType: _, nestedType = none, ...rest } = plain
  const entries = nestedType.filter(isEntry)
  const names = [plain, ...entries].flatMap(({ field = none }) => field.flatMap(({ typeName }) => typeName ?? none))
  const place = shell.typeName.slice(0, -(plain.name.length + 1))
  const alone = {
    ...file,
    package: place,
    enumType: none,
    service: none,
    messageType: [{ ...rest, nestedType: entries }],
  }
  const [made] = describe(alone, named(names, visible)).messages
  if (!made) throw new Error(`${shell.typeName} is not described`)
  for (const field of made.fields) {
    Object.assign(field, { parent: shell }, field.message === made && { message: shell })
    if (field.oneof) Object.assign(field.oneof, { parent: shell })
  }
  return { fields: made.fields, field: made.field, oneofs: made.oneofs, members: made.members }
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

/** Those of these types that the files have. */
function named(names: readonly string[], files: readonly DescFile[]): (DescMessage | DescEnum)[] {
  const found = [...new Set(names)].map((name) => {
    const typeName = name.replace(/^\./, '')
    return files.map((file) => typesOf(file).get(typeName)).find((type) => type !== undefined)
  })
  return found.filter((type) => type !== undefined)
}

function whole(absent: object, plain: Plain): object {
  const made: Record<string, unknown> = Object.assign(Object.create(absent) as object, plain)
  for (const name in plain) {
    const [list, ofParts] = [plain[name], defaults[name]]
    if (ofParts && Array.isArray(list)) made[name] = list.map((part: Plain) => whole(ofParts, part))
  }
  return made
}
