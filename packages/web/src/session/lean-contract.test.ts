import { readdirSync, readFileSync } from 'node:fs'
import type { DescEnum, DescField, DescFile, DescMessage, DescService } from '@bufbuild/protobuf'
import { fileDesc } from '@bufbuild/protobuf/codegenv2'
import * as wellKnown from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { decodeDescriptor } from '../../build/lean-contract.ts'
import { describeFile } from './describe-file.ts'

const generated = new URL('../../../contracts/src/gen/svc/', import.meta.url)
const folders = ['api', 'auth', 'discovery', 'realtime']
const sources = new Map<string, string>(
  folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/v1/`, generated)).map((name) => {
      const source = readFileSync(new URL(`${folder}/v1/${name}`, generated), 'utf8')
      return [`file_svc_${folder}_v1_${name.replace('_pb.ts', '')}`, source] as const
    }),
  ),
)

class Descriptors {
  readonly #known = new Map<string, DescFile>()
  readonly #describe: (source: string, imports: (names: string) => DescFile[]) => DescFile

  constructor(describe: (source: string, imports: (names: string) => DescFile[]) => DescFile) {
    this.#describe = describe
  }

  of(name: string): DescFile[] {
    const source = sources.get(name)
    if (source === undefined)
      return Object.entries(wellKnown).flatMap(([key, file]) => (key === name ? [file as DescFile] : []))
    const known = this.#known.get(name)
    if (known) return [known]
    const file = this.#describe(source, (names) => names.split(', ').flatMap((one) => this.of(one)))
    this.#known.set(name, file)
    return [file]
  }
}

const inServer = new Descriptors((source, imports) => {
  const [, encoded = '', names = ''] = /fileDesc\("([^"]+)"(?:, \[([^\]]*)\])?\)/.exec(source) ?? []
  return fileDesc(encoded, imports(names))
})
const inPage = new Descriptors((source, imports) => {
  const [, json = '', names = ''] =
    /describeFile\(("(?:[^"\\]|\\.)*"), \[([^\]]*)\]\)/.exec(decodeDescriptor(source)) ?? []
  return describeFile(JSON.parse(json) as string, imports(names))
})

/** The parts of descriptors that encoding and calls use. */
const neededOf = ({ messages, enums, services }: DescFile) => ({
  messages: messages.map(neededOfMessage),
  enums: enums.map(neededOfEnum),
  services: services.map(neededOfService),
})

const neededOfMessage = ({ typeName, fields, members, nestedMessages, nestedEnums }: DescMessage): unknown => ({
  ...{ typeName, members: members.map(({ kind, localName }) => [kind, localName]) },
  fields: fields.map(neededOfField),
  ...{ messages: nestedMessages.map(neededOfMessage), enums: nestedEnums.map(neededOfEnum) },
})

const neededOfField = (field: DescField): unknown => {
  const { name, localName, jsonName, number, fieldKind, scalar, presence } = field
  const { message, enum: enumeration, oneof, ...kind } = field
  const { listKind, mapKind, mapKey, packed, delimitedEncoding, longAsString } = kind as Record<string, unknown>
  const types = [message?.typeName, enumeration?.typeName, oneof?.name]
  return [
    ...[name, localName, jsonName, number, fieldKind, scalar, presence, types],
    ...[listKind, mapKind, mapKey, packed, delimitedEncoding, longAsString],
  ]
}

const neededOfEnum = ({ typeName, open, values }: DescEnum) => [
  ...[typeName, open],
  values.map(({ name, localName, number }) => [name, localName, number]),
]

const neededOfService = ({ typeName, methods }: DescService) => [
  typeName,
  methods.map(({ name, localName, methodKind, idempotency, input, output }) => [
    ...[name, localName, methodKind, idempotency, input.typeName, output.typeName],
  ]),
]

const messagesOf = ({ messages }: DescFile): DescMessage[] => messages.flatMap(withNested)
const withNested = (message: DescMessage): DescMessage[] => [message, ...message.nestedMessages.flatMap(withNested)]

test.each([...sources.keys()])('the build keeps the parts of %s that encoding and calls use', (name) => {
  const [whole, reduced] = [inServer.of(name), inPage.of(name)]
  expect(reduced.map(neededOf)).toEqual(whole.map(neededOf))
  expect(reduced).toHaveLength(1)
})

test('the build removes the validation rules', () => {
  expect([...sources.values()].some((source) => source.includes('[file_buf_validate_validate'))).toBe(true)
  for (const source of sources.values())
    expect(/describeFile\(.*file_buf_validate/.test(decodeDescriptor(source))).toBe(false)
})

test('fields and methods refer to the descriptors of the files, not to copies', () => {
  const files = [...sources.keys(), ...Object.keys(wellKnown).filter((name) => name.startsWith('file_'))]
  const messages = files.flatMap((name) => inPage.of(name)).flatMap(messagesOf)
  const known = new Set<DescMessage>(messages)
  for (const { fields } of messages)
    for (const { message, parent } of fields) {
      expect(known.has(parent)).toBe(true)
      expect(message === undefined || known.has(message)).toBe(true)
    }
  for (const { services } of [...sources.keys()].flatMap((name) => inPage.of(name)))
    for (const { input, output } of services.flatMap(({ methods }) => methods))
      expect([known.has(input), known.has(output)]).toEqual([true, true])
})
