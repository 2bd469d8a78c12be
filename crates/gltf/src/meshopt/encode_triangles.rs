//! Encodes triangles: most corners are the next new vertex or a recent one. Triangles are encoded as they are written.

use std::io::{self, Write};

use super::TRIANGLES;

/// The table at the end: codes of the second and third corner of a triangle whose first corner is new.
const AUXILIARY: [u8; 16] =
    [0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0, 0];

/// Encodes the triangles whose indices of `size` bytes are written to it.
pub(crate) struct Triangles {
    size: usize,
    /// The bytes of an incomplete triangle.
    rest: Vec<u8>,
    edges: [[u32; 2]; 16],
    edge_at: usize,
    vertices: [u32; 16],
    vertex_at: usize,
    /// The index of the next vertex that occurs for the first time.
    next: u32,
    /// The last index that was encoded as a difference from the previous one.
    last: u32,
    codes: Vec<u8>,
    data: Vec<u8>,
}

impl Triangles {
    pub(crate) fn new(size: usize) -> Triangles {
        Triangles {
            size,
            rest: Vec::with_capacity(12),
            edges: [[u32::MAX; 2]; 16],
            edge_at: 0,
            vertices: [u32::MAX; 16],
            vertex_at: 0,
            next: 0,
            last: 0,
            codes: vec![TRIANGLES],
            data: Vec::new(),
        }
    }

    fn push_edge(&mut self, a: u32, b: u32) {
        self.edges[self.edge_at] = [a, b];
        self.edge_at = (self.edge_at + 1) % 16;
    }

    fn push_vertex(&mut self, vertex: u32) {
        self.vertices[self.vertex_at] = vertex;
        self.vertex_at = (self.vertex_at + 1) % 16;
    }

    /// The number of vertices that followed a vertex; `None` if it is not recent.
    fn vertex_ago(&self, vertex: u32) -> Option<u8> {
        (0..16u8).find(|ago| self.vertices[(self.vertex_at + 15 - usize::from(*ago)) % 16] == vertex)
    }

    /// The number of edges that were stored after an edge of this triangle, and the corner at which the edge begins;
    /// `None` if no edge of the triangle is recent.
    fn edge_ago(&self, [a, b, c]: [u32; 3]) -> Option<(u8, usize)> {
        (0..16u8).find_map(|ago| {
            let edge = self.edges[(self.edge_at + 15 - usize::from(ago)) % 16];
            let first = [[a, b], [b, c], [c, a]].iter().position(|other| *other == edge)?;
            Some((ago, first))
        })
    }

    /// Encodes a vertex as a number: its difference from the last such vertex, in seven bits of each byte.
    fn spell(&mut self, vertex: u32) {
        let difference = vertex.wrapping_sub(self.last);
        let mut rest = (difference << 1) ^ (((difference as i32) >> 31) as u32);
        while rest > 127 {
            self.data.push(rest as u8 | 128);
            rest >>= 7;
        }
        self.data.push(rest as u8);
        self.last = vertex;
    }

    /// Adds a triangle. Its corners may be rotated, which keeps the winding.
    fn push(&mut self, corners: [u32; 3]) {
        match self.edge_ago(corners).filter(|(ago, _)| *ago < 15) {
            Some((ago, first)) => self.push_at_edge(ago, turned(corners, first)),
            None => self.push_alone(corners),
        }
    }

    /// Adds a triangle whose first edge is recent.
    fn push_at_edge(&mut self, ago: u8, [a, b, c]: [u32; 3]) {
        let known = self.vertex_ago(c).filter(|ago| *ago < 13);
        // Code 0 is the next new vertex. 13 and 14 are the vertices before and after the last one encoded as a number.
        let code = if c == self.next {
            self.next = self.next.wrapping_add(1);
            0
        } else {
            match known.filter(|ago| *ago > 0) {
                Some(ago) => ago,
                None if c == self.last.wrapping_sub(1) => 13,
                None if c == self.last.wrapping_add(1) => 14,
                None => 15,
            }
        };
        self.codes.push(ago << 4 | code);
        match code {
            13 | 14 => self.last = c,
            15 => self.spell(c),
            _ => {}
        }
        if code == 0 || code >= 13 {
            self.push_vertex(c);
        }
        self.push_edge(c, b);
        self.push_edge(a, c);
    }

    /// Adds a triangle without a recent edge.
    fn push_alone(&mut self, corners: [u32; 3]) {
        // If the triangle has the next new vertex, that vertex becomes the first corner.
        let first = match corners {
            [_, b, _] if b == self.next => 1,
            [_, _, c] if c == self.next => 2,
            _ => 0,
        };
        let [a, b, c] = turned(corners, first);
        // The extension can reset the next vertex to 0, which is not needed here.
        let is_new = a == self.next;
        if is_new {
            self.next = self.next.wrapping_add(1);
        }
        let code = |triangles: &mut Triangles, vertex: u32| {
            if vertex == triangles.next {
                triangles.next = triangles.next.wrapping_add(1);
                return 0;
            }
            triangles.vertex_ago(vertex).filter(|ago| *ago < 14).map_or(15, |ago| ago + 1)
        };
        let (of_b, of_c) = (code(self, b), code(self, c));
        let auxiliary = of_b << 4 | of_c;
        let short = AUXILIARY[..14].iter().position(|known| *known == auxiliary);
        match short {
            Some(index) if is_new => self.codes.push(0xf0 | index as u8),
            _ => {
                self.codes.push(if is_new { 0xfe } else { 0xff });
                self.data.push(auxiliary);
            }
        }
        for (vertex, is_spelled) in [(a, !is_new), (b, of_b == 15), (c, of_c == 15)] {
            if is_spelled {
                self.spell(vertex);
            }
        }
        for (vertex, is_pushed) in [(a, true), (b, of_b == 0 || of_b == 15), (c, of_c == 0 || of_c == 15)] {
            if is_pushed {
                self.push_vertex(vertex);
            }
        }
        self.push_edge(b, a);
        self.push_edge(c, b);
        self.push_edge(a, c);
    }

    /// The triangles, encoded.
    pub(crate) fn finish(self) -> Vec<u8> {
        let Triangles { mut codes, data, .. } = self;
        codes.extend(data);
        codes.extend(AUXILIARY);
        codes
    }
}

/// The corners in the same cyclic order, beginning with corner `first`.
fn turned(corners: [u32; 3], first: usize) -> [u32; 3] {
    [0, 1, 2].map(|corner| corners[(first + corner) % 3])
}

impl Write for Triangles {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.rest.push(*byte);
            if self.rest.len() == 3 * self.size {
                let mut numbers = self.rest.chunks_exact(self.size).map(|bytes| {
                    bytes.iter().rev().fold(0u32, |number, byte| number << 8 | u32::from(*byte))
                });
                let corners = [0; 3].map(|_: u32| numbers.next().unwrap_or_default());
                self.rest.clear();
                self.push(corners);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
