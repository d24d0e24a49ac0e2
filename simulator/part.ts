/** What goes back with the world: `save` gives plain data, which is copied at once, and `restore` gets a copy to keep. */
export type Saves<Saved> = { save(): Saved; restore(saved: Saved): void }

/** What stands beside the world, by a name of its own. */
export type Part<Saved = unknown> = Saves<Saved> & { name: string }
