import { randomBytes } from 'node:crypto'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import {
  AdminPermissionService,
  AdminRoomLayoutService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import type { FakeLivekit } from '@parley/testkit/livekit'
import { fleet } from '../fleet.ts'
import { Listeners } from '../listeners.ts'
import { tokenForOtherClient } from '../other-clients.ts'
import { newPerson, type Person, signInOwner } from '../people.ts'
import { newRoom, post } from '../rooms.ts'
import { type Name, names } from './users.ts'
import { waitForConsequences } from './consequences.ts'

type People = Record<Name, Person>

export class Fixture {
  readonly mediaServer: FakeLivekit
  readonly people: People
  readonly owner: Person
  readonly groupId: string
  readonly channel: string
  readonly hall: string
  readonly dm: string
  /** Contains only markers: messages that everybody receives after the events of a row. */
  readonly plaza: string
  readonly #ids = new Map<string, string>()
  #turn = 0

  private constructor(
    mediaServer: FakeLivekit,
    people: People,
    owner: Person,
    rooms: Pick<Fixture, 'groupId' | 'channel' | 'hall' | 'dm' | 'plaza'>,
  ) {
    this.mediaServer = mediaServer
    this.people = people
    this.owner = owner
    this.groupId = rooms.groupId
    this.channel = rooms.channel
    this.hall = rooms.hall
    this.dm = rooms.dm
    this.plaza = rooms.plaza
  }

  static async create(mediaServer: FakeLivekit): Promise<Fixture> {
    const owner = await signInOwner()
    const made = await Promise.all(
      names.map((name) =>
        newPerson(name, name === 'adam' ? { roles: ['admin'] } : {}).then((one) => [name, one] as const),
      ),
    )
    const people = Object.fromEntries(made) as People
    const { group } = await owner.call(AdminRoomLayoutService.method.createRoomGroup, { name: 'Matrix' })
    const groupId = group?.id ?? ''
    const joining = (['ada', 'bob', 'dora', 'leo', 'rex', 'ben'] as const).map((name) => people[name])
    const channel = await newRoom(owner, joining, { groupId, universal: false })
    const hall = await newRoom(owner, [], { groupId, universal: true })
    const plaza = await newRoom(owner, [], { groupId, universal: true })
    await people.leo.call(RoomService.method.leaveRoom, { roomId: channel })
    await owner.call(RoomService.method.removeMember, { roomId: channel, userId: people.rex.userId })
    for (const roomId of [channel, hall])
      await owner.call(RoomService.method.banMember, { roomId, userId: people.ben.userId, reason: 'noise' })
    await owner.call(AdminPermissionService.method.setUserPermission, {
      ...{ userId: people.dan.userId, permission: 'room.join', decision: PermissionDecision.DENY },
      scope: { kind: PermissionScopeKind.ROOM, id: hall },
    })
    const dm = await people.ada.call(RoomService.method.startDM, { participantIds: [people.bob.userId] })
    return new Fixture(mediaServer, people, owner, { groupId, channel, hall, plaza, dm: dm.room?.id ?? '' })
  }

  /** Opens a socket for each user on both nodes, and two more for ada. */
  async listen(): Promise<Listeners> {
    const listeners = new Listeners()
    const [one, other] = fleet().realtimeNodes
    for (const name of names) {
      await listeners.add(name, 'one node', one, this.people[name].token)
      await listeners.add(name, 'the other node', other, this.people[name].token)
    }
    const { ada } = this.people
    await listeners.add('ada', 'one node, again', one, ada.token)
    await listeners.add('ada', 'another web client', other, await tokenForOtherClient(ada))
    return listeners
  }

  call<I extends DescMessage, O extends DescMessage>(
    who: Name | 'owner',
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    const person = who === 'owner' ? this.owner : this.people[who]
    return person.call(method, request, { base: fleet().gateways[this.#turn++ % 2 === 0 ? 0 : 1] })
  }

  userId(name: Name): string {
    return this.people[name].userId
  }

  /** Remembers the id of the message under its text `as`, and that of an echo under `echo of ...`. */
  async post(
    who: Name,
    roomId: string,
    as: string,
    more: Omit<
      MessageInitShape<typeof MessageService.method.createMessage.input>,
      '$typeName' | 'roomId' | 'body'
    > = {},
  ): Promise<void> {
    const { message } = await this.call(who, MessageService.method.createMessage, { roomId, body: as, ...more })
    this.remember(as, message?.id ?? '')
    if (message?.channelEchoEventId) this.remember(`echo of ${as}`, message.channelEchoEventId)
  }

  /** Waits until all events of earlier actions have been published, then posts a marker. Returns its id. */
  async postMarker(): Promise<string> {
    await waitForConsequences(this.owner)
    return post(this.owner, this.plaza, 'marker')
  }

  remember(as: string, id: string): void {
    this.#ids.set(as, id)
  }

  id(as: string): string {
    const id = this.#ids.get(as)
    if (id === undefined) throw new Error(`no id is stored as ${as}`)
    return id
  }

  hasUser(userId: string): boolean {
    return Object.values(this.people).some((person) => person.userId === userId)
  }
}

export const unique = (): string => randomBytes(5).toString('hex')
