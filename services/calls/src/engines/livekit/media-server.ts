import { RoomServiceClient, TwirpError } from 'livekit-server-sdk'
import type { LivekitSettings } from '@parley/config'
import { countOutgoing } from '@parley/runtime'
import type { Connection } from '../../domain/connection.ts'
import { connectionFrom, isPerson, isThere } from './participant.ts'

const timeoutSeconds = 5

/** A participant at the media server. */
export type MediaParticipant = { userId: string; connection: Connection }

/** The media server, where there is one. */
export type Media = { settings: LivekitSettings; server: MediaServer }

/** Client of the media server. A call fails if it is not answered within seconds. */
export class MediaServer {
  readonly #rooms: RoomServiceClient

  constructor({ url, apiKey, apiSecret }: LivekitSettings) {
    this.#rooms = new RoomServiceClient(url, apiKey, apiSecret, { requestTimeout: timeoutSeconds, failover: false })
  }

  /** Names of all rooms, including those of other servers. */
  async listRooms(): Promise<string[]> {
    return (await measured(() => this.#rooms.listRooms())).map(({ name }) => name)
  }

  /** Nobody when there is no such room. */
  async listParticipants(mediaRoom: string): Promise<MediaParticipant[]> {
    const participants = (await unlessMissing(() => this.#rooms.listParticipants(mediaRoom))) ?? []
    const people = participants.filter((one) => isPerson(one) && isThere(one))
    // Without a room sid, which the response does not contain.
    return people.map((one) => ({ userId: one.identity, connection: connectionFrom(one, '') }))
  }

  async removeParticipant(mediaRoom: string, userId: string): Promise<void> {
    await unlessMissing(() => this.#rooms.removeParticipant(mediaRoom, userId))
  }

  /** Closes a room and removes everybody. */
  async deleteRoom(mediaRoom: string): Promise<void> {
    await unlessMissing(() => this.#rooms.deleteRoom(mediaRoom))
  }
}

const measured = <T>(ask: () => Promise<T>): Promise<T> => countOutgoing('media', ask)

async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await measured(ask)
  } catch (error) {
    // Not any 404: a proxy in front answers that too, while the media server is away.
    if (error instanceof TwirpError && error.code === 'not_found') return undefined
    throw error
  }
}
