// Names that the comments of every script may use; those of the API stand in `api_types.d.ts`. For the type checker alone.

type Children = import("preact").ComponentChildren;
type Resource<T> = import("./static/js/resource.js").Resource<T>;
/** What a `Field` gives its control. */
type Attributes = Record<string, unknown> & { id: string };
interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}
