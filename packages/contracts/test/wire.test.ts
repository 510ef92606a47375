import { readFileSync } from 'node:fs'
import type { DescFile } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import { publicFiles, publicServices } from '../src/catalogue.ts'
import { messageFacts } from './_facts.ts'

/** Numbers below this belong to the wire contract; our own additions start here. */
const firstOwnNumber = 100

const wire = readFileSync(new URL('wire.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const files = publicFiles.filter((file) => file.proto.package.startsWith('svc.'))
const facts = files.flatMap(fileFacts)

function fileFacts(file: DescFile): string[] {
  return [
    ...file.messages.flatMap(messageFacts),
    ...file.enums.flatMap((e) => e.values.map((value) => `value ${e.typeName} ${value.number} ${value.name}`)),
    ...file.services.flatMap((service) =>
      service.methods.map(
        (method) => `method ${service.typeName}.${method.name} ${method.input.typeName} ${method.output.typeName}`,
      ),
    ),
  ]
}

test('every fact of the wire contract holds', () => {
  const held = new Set(facts)
  expect(wire.length).toBeGreaterThan(1800)
  expect(wire.filter((fact) => !held.has(fact))).toEqual([])
})

describe('additions', () => {
  const known = new Set(wire)
  const added = facts.filter((fact) => !known.has(fact)).map((fact) => fact.split(' '))
  const owners = new Set(wire.map((fact) => fact.split(' ')[1]))

  test('to known messages and enums are fields and values from 100 up', () => {
    for (const [kind, owner, number] of added.filter(([, owner]) => owners.has(owner))) {
      expect(['field', 'value']).toContain(kind)
      expect({ owner, own: Number(number) >= firstOwnNumber }).toEqual({ owner, own: true })
    }
  })

  test('are the ones we decided on', () => {
    expect(added.map((fact) => fact.slice(0, 6).join(' ')).sort()).toEqual(
      [
        'field svc.api.v1.ListRoomMembersRequest 100 plain svc.api.v1.RoomMembershipKind membership',
        'field svc.api.v1.PageInfo 100 plain string next_cursor',
        'field svc.api.v1.PageRequest 100 plain string cursor',
        'field svc.discovery.v1.GetServerResponse 100 plain svc.api.v1.ServerPublicProfile public_profile',
        'field svc.discovery.v1.GetServerResponse 101 plain bool direct_registration_enabled',
        'field svc.discovery.v1.GetServerResponse 102 repeated svc.api.v1.ProviderMetadata login_providers',
        'field svc.realtime.v1.RealtimeEventEnvelope 100 plain string position',
        'field svc.realtime.v1.RealtimeSubscribeEvents 100 plain string resume_position',
        'field svc.realtime.v1.RealtimeSubscribed 100 plain string position',
        'field svc.realtime.v1.RealtimeSubscribed 101 plain bool reset',
        'value svc.api.v1.RoomMembershipKind 0 ROOM_MEMBERSHIP_KIND_UNSPECIFIED',
        'value svc.api.v1.RoomMembershipKind 1 ROOM_MEMBERSHIP_KIND_EXPLICIT',
        'value svc.api.v1.RoomMembershipKind 2 ROOM_MEMBERSHIP_KIND_EFFECTIVE',
      ].sort(),
    )
  })
})

test('JSON names are the lowerCamelCase form of field names', () => {
  const camel = (name: string) => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const fields = files.flatMap((file) => file.messages.flatMap((message) => message.fields))
  expect(fields.filter((field) => field.jsonName !== camel(field.name))).toEqual([])
})

test('reads are free of side effects and nothing else is', () => {
  const reads = /^(Get|List|BatchGet|Has|Explain)/
  // These hand out or accept a secret, which must never be part of a URL that may be cached.
  const secrets = ['GetCallToken', 'GetPendingExternalIdentity']
  for (const method of publicServices.flatMap((service) => service.methods)) {
    const read = reads.test(method.name) && !secrets.includes(method.name)
    expect({
      method: method.name,
      read: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
    }).toEqual({ method: method.name, read })
  }
})
