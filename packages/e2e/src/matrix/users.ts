/**
 * The users of the matrix, each with a socket on each node.
 *
 * - ada: member of the channel, with a second socket on one node and one of another web client on the other
 * - bob, dora: members of the channel; dora's account is deleted at the end
 * - nina: only in universal rooms, such as the hall
 * - ben: banned from the channel and the hall
 * - leo: left the channel
 * - rex: removed from the channel
 * - adam: administrator, never joined the channel
 * - dan: denied the hall by a permission decision
 * - sid: signs out at the end
 */
export const names = ['ada', 'bob', 'dora', 'nina', 'ben', 'leo', 'rex', 'adam', 'dan', 'sid'] as const
export type Name = (typeof names)[number]

const everyoneExcept = (...others: Name[]) => names.filter((name) => !others.includes(name))

export const everyone: Name[] = [...names]
export const channel: Name[] = ['ada', 'bob', 'dora']
/** Effective members of the hall, a universal room. */
export const hall = everyoneExcept('ben', 'dan')
/** Effective members of the channel while it is universal. */
export const universalChannel = everyoneExcept('ben')
export const pair: Name[] = ['ada', 'bob']

export const without = (group: Name[], ...others: Name[]): Name[] => group.filter((name) => !others.includes(name))
export const and = (group: Name[], ...others: Name[]): Name[] => [...group, ...others]
