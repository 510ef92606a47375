export type Tally = {
  emoji: string
  count: number
  firstUserIds: string[]
  mine: boolean
}
