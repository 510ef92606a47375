export type Tally = {
  emoji: string
  count: number
  /** The first five. */
  firstUserIds: string[]
  mine: boolean
}
