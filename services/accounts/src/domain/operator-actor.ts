/** The actor id of changes that an operator makes: operators act without an account. */
export const operatorActorId = ''
