import { RoomServiceClient, TwirpError } from 'livekit-server-sdk'
import type { LivekitSettings } from '@parley/config'
import { measureOutgoing } from '@parley/runtime'
import type { Connection } from '../../domain/connection.ts'
import { connectionFrom, isPerson, isConnected } from './participant.ts'

const timeoutSeconds = 5

export type MediaParticipant = { userId: string; connection: Connection }

export type Media = { settings: LivekitSettings; server: MediaServer }

export class MediaServer {
  readonly #rooms: RoomServiceClient

  constructor({ url, apiKey, apiSecret }: LivekitSettings) {
    this.#rooms = new RoomServiceClient(url, apiKey, apiSecret, { requestTimeout: timeoutSeconds, failover: false })
  }

  /** The list includes the rooms of other servers that use this media server. */
  async listRooms(): Promise<string[]> {
    return (await measure(() => this.#rooms.listRooms())).map(({ name }) => name)
  }

  /** The people connected to a room; empty if the room does not exist. */
  async listParticipants(mediaRoom: string): Promise<MediaParticipant[]> {
    const participants = (await ignoreNotFound(() => this.#rooms.listParticipants(mediaRoom))) ?? []
    const people = participants.filter((one) => isPerson(one) && isConnected(one))
    // The response does not contain the sid of the room.
    return people.map((one) => ({ userId: one.identity, connection: connectionFrom(one, '') }))
  }

  async removeParticipant(mediaRoom: string, userId: string): Promise<void> {
    await ignoreNotFound(() => this.#rooms.removeParticipant(mediaRoom, userId))
  }

  async deleteRoom(mediaRoom: string): Promise<void> {
    await ignoreNotFound(() => this.#rooms.deleteRoom(mediaRoom))
  }
}

const measure = <T>(request: () => Promise<T>): Promise<T> => measureOutgoing('media', request)

async function ignoreNotFound<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await measure(request)
  } catch (error) {
    // The status is not enough: a proxy may answer 404 while the media server is down.
    if (error instanceof TwirpError && error.code === 'not_found') return undefined
    throw error
  }
}
