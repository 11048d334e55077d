/** A component that is drawn again only if a property differs, by default by identity. */

import { Component, createElement } from "preact";
import type { ComponentType, VNode } from "preact";

const isSame = <P extends object>(one: P, other: P): boolean => {
  const names = Object.keys(one) as (keyof P)[];
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
};

export function memo<P extends object>(
  inner: ComponentType<P>,
  isUnchanged: (one: P, other: P) => boolean = isSame,
): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !isUnchanged(this.props as P, next as P);
    }

    override render(props: P): VNode {
      return createElement(inner, props) as VNode;
    }
  };
}
