import { create, type DescField, type DescMessage, type DescMethodUnary, ScalarType } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { PermissionScopeKind } from '@parley/contracts/admin'
import { RoomService } from '@parley/contracts/api'
import { publicMethods } from '@parley/contracts/catalogue'
import { type Answer, codeOf } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { post } from '../src/rooms.ts'

let owner: Person
let stranger: Person
let ada: Person
let dm: string
let messageId: string
const absent = 'R0nowhere000000'

beforeAll(async () => {
  ;[owner, stranger, ada] = await Promise.all([signInOwner(), newPerson('stranger'), newPerson('ada')])
  const bob = await newPerson('bob')
  const { room } = await ada.call(RoomService.method.startDM, { participantIds: [bob.userId] })
  dm = room?.id ?? ''
  messageId = await post(ada, dm, 'between us')
})

const roomFields = new Set(['room_id', 'room_ids'])
const namesRoom = ({ input }: DescMethodUnary): boolean =>
  input.fields.some(({ name, message }) => roomFields.has(name) || message?.name === 'PermissionScope')
const methods = publicMethods.filter(namesRoom)

/** A valid value for a field, so that the call can be refused only because of the room. */
function valueOf(field: DescField, roomId: string): unknown {
  if (roomFields.has(field.name)) return roomId
  if (/emoji/.test(field.name)) return 'thumbsup'
  if (/(user|actor|member|participant)_ids?$/.test(field.name)) return ada.userId
  if (/group_id$/.test(field.name)) return 'G0nowhere000000'
  if (/asset_ids?$/.test(field.name)) return 'A0nowhere000000'
  if (/_ids?$|^id$|in_reply_to$/.test(field.name)) return messageId
  if (/permission$/.test(field.name)) return 'message.post'
  if (/filename|name$/.test(field.name)) return 'notes'
  if (/url$/.test(field.name)) return 'https://example.org/'
  if (/sha256$/.test(field.name)) return '0'.repeat(64)
  if (/content_type$/.test(field.name)) return 'text/plain'
  return 'text'
}

const emptyFields = new Set([
  'page',
  'expires_at',
  'limit',
  'around_event_id',
  'before',
  'after',
  'thumbnail',
  'universal',
])

function requestFor(schema: DescMessage, roomId: string) {
  const message = create(schema)
  const view = reflect(schema, message)
  for (const field of schema.fields) {
    if (emptyFields.has(field.name)) continue
    if (field.fieldKind === 'message' && field.message.name === 'PermissionScope') {
      const scope = create(field.message)
      const of = reflect(field.message, scope)
      for (const inner of field.message.fields) of.set(inner, inner.name === 'kind' ? PermissionScopeKind.ROOM : roomId)
      view.set(field, of)
    } else if (field.fieldKind === 'scalar') {
      if (field.oneof && view.oneofCase(field.oneof)) continue
      if (field.scalar === ScalarType.STRING) view.set(field, valueOf(field, roomId))
      else if (field.scalar === ScalarType.INT64 || field.scalar === ScalarType.UINT64) view.set(field, 1n)
      else if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.UINT32) view.set(field, 1)
    } else if (field.fieldKind === 'enum') view.set(field, field.enum.values.at(-1)?.number ?? 0)
    else if (field.fieldKind === 'list' && field.listKind === 'scalar' && field.scalar === ScalarType.STRING)
      view.get(field).add(valueOf(field, roomId))
  }
  return message
}

/** The response without the id of the room. */
const comparableContent = ({ status, body }: Answer, roomId: string): string =>
  `${status} ${JSON.stringify(body).replaceAll(roomId, 'ROOM')}`

describe('a direct message between others looks as if it did not exist', () => {
  test.each(methods.map((method) => [`${method.parent.name}/${method.name}`, method] as const))(
    '%s answers as for a room that does not exist',
    async (_, method) => {
      for (const person of [stranger, owner]) {
        const [forDm, forAbsent] = await Promise.all([
          person.attempt(method, requestFor(method.input, dm)),
          person.attempt(method, requestFor(method.input, absent)),
        ])
        expect(comparableContent(forDm, dm)).toBe(comparableContent(forAbsent, absent))
        if (forDm.status !== 200 && person === owner)
          expect(codeOf(forDm)).toBe(method.name === 'ExplainPermissions' ? 'permission_denied' : 'not_found')
      }
    },
  )

  test('more than 35 methods name a room', () => {
    expect(methods.length).toBeGreaterThan(35)
  })
})
