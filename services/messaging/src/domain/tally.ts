/** The reactions to a message with one emoji. */
export type Tally = {
  emoji: string
  count: number
  /** The first five users who reacted. */
  firstUserIds: string[]
  /** Whether the reader has reacted. */
  mine: boolean
}
