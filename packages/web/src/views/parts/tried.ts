import { getContext, setContext } from 'svelte'

const key = Symbol('tried')

/** Tells the fields of a form whether somebody tried to send it: from then on they say what is wrong with them. */
export const provideTried = (tried: () => boolean): (() => boolean) => setContext(key, tried)

/** Whether the surrounding form was submitted; false without a form. */
export const useTried = (): (() => boolean) => getContext<(() => boolean) | undefined>(key) ?? (() => false)
