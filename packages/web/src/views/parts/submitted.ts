import { getContext, setContext } from 'svelte'

const key = Symbol('submitted')

/** Tells the fields of a form whether the form was submitted. From then on, they show their errors. */
export const provideSubmitted = (submitted: () => boolean): (() => boolean) => setContext(key, submitted)

/** Always false outside of a form. */
export const useSubmitted = (): (() => boolean) => getContext<(() => boolean) | undefined>(key) ?? (() => false)
