import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { TokenVerifier } from 'livekit-server-sdk'
import { answerTwirp } from './twirp.ts'
import { signWebhook } from './webhook.ts'

export type FakeParticipant = {
  sid: string
  identity: string
  name: string
  metadata: string
  state: 'ACTIVE' | 'DISCONNECTED'
  joinedAt: string
  joinedAtMs: string
  disconnectReason?: string
}

export type FakeRoom = { sid: string; name: string; participants: Map<string, FakeParticipant> }

export type FakeLivekitEvent = {
  event: string
  id: string
  createdAt: string
  room: { sid: string; name: string }
  participant?: FakeParticipant
}

/**
 * A fake LiveKit server: implements the room service for the official SDK, checks grants, admits participants with a
 * token, and sends signed webhooks.
 */
export class FakeLivekit implements AsyncDisposable {
  readonly apiKey = 'APIfake'
  readonly apiSecret = 'the secret of the fake media server'
  /** Target of webhooks; undefined to send none. */
  webhookUrl: string | undefined
  /** While true, every request is dropped with its connection. */
  isUnavailable = false
  /** All events, including those not sent. */
  readonly events: FakeLivekitEvent[] = []
  readonly requests: { method: string; room: string; identity: string }[] = []
  readonly rooms = new Map<string, FakeRoom>()
  readonly #server = createServer((request, response) => void answerTwirp(this, request, response))
  #lastMs = 0
  #sending: Promise<unknown> = Promise.resolve()

  static async start(port = 0): Promise<FakeLivekit> {
    const livekit = new FakeLivekit()
    livekit.#server.listen(port, '127.0.0.1')
    await once(livekit.#server, 'listening')
    return livekit
  }

  get url(): string {
    const address = this.#server.address()
    return `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  /**
   * Connects the holder of a token to its room, and ends an earlier connection of the same person to that room. Rejects
   * if the token does not permit joining.
   */
  async connect(token: string): Promise<FakeParticipant> {
    const claims = await new TokenVerifier(this.apiKey, this.apiSecret).verify(token)
    const { roomJoin, room: name } = claims.video ?? {}
    if (!roomJoin || !name || !claims.sub) throw new Error('the token does not permit joining a room')
    const room = this.#open(name)
    const before = room.participants.get(claims.sub)
    if (before) this.#leave(room, before, 'DUPLICATE_IDENTITY')
    const ms = this.#nextMs()
    const participant: FakeParticipant = {
      ...{ sid: `PA_${randomBytes(6).toString('hex')}`, identity: claims.sub, state: 'ACTIVE' },
      ...{ name: claims.name ?? '', metadata: claims.metadata ?? '' },
      ...{ joinedAt: String(Math.trunc(ms / 1000)), joinedAtMs: String(ms) },
    }
    room.participants.set(claims.sub, participant)
    this.#notify('participant_joined', room, participant)
    return participant
  }

  disconnect(identity: string, roomName: string): void {
    const room = this.rooms.get(roomName)
    const participant = room?.participants.get(identity)
    if (room && participant) this.#leave(room, participant, 'CLIENT_INITIATED')
  }

  /**
   * Removes all participants of a room and closes it, as after DeleteRoom. The real LiveKit also closes a room some time
   * after the last participant has left; this one does not.
   */
  closeRoom(name: string): void {
    const room = this.rooms.get(name)
    if (!room) return
    for (const participant of room.participants.values()) this.#leave(room, participant, 'ROOM_DELETED')
    this.rooms.delete(name)
    this.#notify('room_finished', room)
  }

  async send(url: string, event: FakeLivekitEvent): Promise<number> {
    const { body, authorization } = await signWebhook(this, JSON.stringify(event))
    const headers = { 'content-type': 'application/webhook+json', authorization }
    return (await fetch(url, { method: 'POST', body, headers })).status
  }

  /** Resolves when all webhooks so far have been answered or have failed. */
  async waitUntilSent(): Promise<void> {
    await this.#sending
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #open(name: string): FakeRoom {
    const known = this.rooms.get(name)
    if (known) return known
    const room: FakeRoom = { sid: `RM_${randomBytes(6).toString('hex')}`, name, participants: new Map() }
    this.rooms.set(name, room)
    this.#notify('room_started', room)
    return room
  }

  #leave(room: FakeRoom, participant: FakeParticipant, disconnectReason: string): void {
    room.participants.delete(participant.identity)
    this.#notify('participant_left', room, { ...participant, state: 'DISCONNECTED', disconnectReason })
  }

  #notify(event: string, { sid, name }: FakeRoom, participant?: FakeParticipant): void {
    const id = `EV_${randomBytes(8).toString('hex')}`
    const createdAt = String(Math.trunc(Date.now() / 1000))
    const webhook = { event, id, createdAt, room: { sid, name }, ...(participant && { participant }) }
    this.events.push(webhook)
    const url = this.webhookUrl
    // One after the other, as LiveKit does. Unlike LiveKit, this server does not repeat failed webhooks.
    if (url !== undefined) this.#sending = this.#sending.then(() => this.send(url, webhook)).catch(() => undefined)
  }

  #nextMs(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now())
    return this.#lastMs
  }
}
