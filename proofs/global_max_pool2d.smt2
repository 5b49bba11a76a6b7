; The queries of global_max_pool2d, in SMT-LIB 2. Each is answered on its own.

; query 1, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
; vjp x_bar_distributed: reads and writes
; jvp by x
; vjp x_bar
; vjp x_bar_distributed
; the loop computes the maximum
; the loop picks the first winner
; distributed: gradient mass is kept
; one winner: the full-gradient VJP has mass 1
; one winner: the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; k = n pooling: forward
; k = n pooling: JVP
; k = n pooling: VJP, one winner
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 2, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (not (>= |0| 1)))
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 3, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
; vjp x_bar_distributed: reads and writes
; jvp by x
; vjp x_bar
; vjp x_bar_distributed
; the loop computes the maximum
; the loop picks the first winner
; distributed: gradient mass is kept
; one winner: the full-gradient VJP has mass 1
; one winner: the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 4, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; vjp x_bar: reads and writes
; vjp x_bar_distributed: reads and writes
; the loop computes the maximum
; the loop picks the first winner
; distributed: gradient mass is kept
; one winner: the full-gradient VJP has mass 1
; one winner: the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
(reset)
(assert (not (<= 0 0)))
(check-sat)

; query 5, z3: sat
; requires H ≥ 1
; requires W ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (>= |2| 0))
(assert (>= |1| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (not (< 0 |1|)))
(check-sat)

; query 6, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; the loop computes the maximum
; the loop picks the first winner
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (< 0 |0|)))
(check-sat)

; query 7, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(declare-fun |4| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (or (= |0| 1) (= |1| 0)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (<= |2| |3|)))
(assert (= |0| 1))
(assert (not (or (not (and (= |0| 1) (= |1| 1))) (<= |2| (ite (> |4| |3|) |4| |3|)))))
(check-sat)

; query 8, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Real)
(declare-fun |4| () Real)
(declare-fun |5| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (or (= |2| 0) (= |2| 1)))
(assert (or (= |0| 1) (= |1| 0)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (<= |3| |4|)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (= |2| 0) (< |3| |4|)))
(assert (= |0| 1))
(assert (not (or (not (and (= |0| 1) (= |1| 1))) (= (ite (> |5| |4|) 1 |2|) 0) (< |3| (ite (> |5| |4|) |5| |4|)))))
(check-sat)

; query 9, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (= |0| 1))
(assert (= |1| 1))
(assert (not (or (= |0| 1) (= |1| 0))))
(check-sat)

; query 10, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (= |0| 1))
(assert (= |1| 1))
(assert (not (or (not (and (= |0| 1) (= |1| 1))) (<= |2| (ite (> |2| |3|) |2| |3|)))))
(check-sat)

; query 11, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (= |0| 1))
(assert (= |1| 1))
(assert (not (or (not (and (= |0| 1) (= |1| 1))) (= 0 0) (< |2| (ite (> |2| |3|) |2| |3|)))))
(check-sat)

; query 12, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (= |0| 1))
(assert (= |1| 1))
(assert (not (or (not (> |2| |3|)) (and (= |1| 1) (= |0| 1)))))
(check-sat)

; query 13, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; jvp: reads and writes
; jvp is linear
; jvp by x
; the loop computes the maximum
; the loop picks the first winner
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
; the JVP is the directional derivative
; k = n pooling: JVP
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Real)
(declare-fun |2| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (= |0| 1))
(assert (not (or (> |1| |2|) (= |0| |0|))))
(check-sat)

; query 14, z3: unsat, cvc5: unsat
; vjp x_bar: reads and writes
; vjp x_bar_distributed: reads and writes
; distributed: gradient mass is kept
; one winner: the full-gradient VJP has mass 1
; one winner: the full-gradient VJP is the JVP's transpose
; one winner: the JVP is the directional derivative
(reset)
(assert (not (< 0 1)))
(check-sat)

; query 15, z3: unsat, cvc5: unsat
; vjp x_bar_distributed: divisors and logarithms
; vjp x_bar_distributed
; x_bar_distributed at ties: weights on winners only
; distributed: gradient mass is kept
; one winner: the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (<= 0 (+ |0| (- 1)))))
(check-sat)

; query 16, z3: unsat, cvc5: unsat
; output size at least 1
; k = n pooling: VJP, one winner
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(assert (not (>= 1 1)))
(check-sat)

; query 17, z3: unsat, cvc5: unsat
; jvp by x
; vjp x_bar
; vjp x_bar_distributed
; x_bar at ties: weights on winners only
; x_bar_distributed at ties: weights on winners only
; one winner: the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (= |0| |0|)))
(check-sat)

; query 18, z3: unsat, cvc5: unsat
; jvp by x
; vjp x_bar
; vjp x_bar_distributed
; x_bar at ties: weights on winners only
; x_bar_distributed at ties: weights on winners only
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |1| |0|))
(assert (not (= |0| |1|)))
(check-sat)

; query 19, z3: unsat, cvc5: unsat
; jvp by x
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |2| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert |value 1|)
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (= |3| |6|))
(assert (= 0 |7|))
(assert (= 0 |8|))
(assert (not false))
(check-sat)

; query 20, z3: unsat, cvc5: unsat
; vjp x_bar
; vjp x_bar_distributed
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (not (= |1| |0|)))
(check-sat)

; query 21, z3: unsat, cvc5: unsat
; vjp x_bar
; vjp x_bar_distributed
; x_bar_distributed at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= 0 |0|)))
(check-sat)

; query 22, z3: sat
; vjp x_bar_distributed
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(declare-fun |value 3| () Real)
(declare-fun |inverse of| (Real) Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |2| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert |value 1|)
(assert (= (|array x/3| |3| |7| |8|) |value 2|))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert (= |3| |6|))
(assert (not (= (to_real 1) (* 1.0 (|inverse of| |value 3|)))))
(assert (=> (not (= |value 3| 0.0)) (= (* |value 3| (|inverse of| |value 3|)) 1.0)))
(check-sat)

; query 23, z3: sat
; vjp x_bar_distributed
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |2| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert |value 1|)
(assert (= (|array x/3| |3| |7| |8|) |value 2|))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert (= |3| |6|))
(assert (not false))
(check-sat)

; query 24, z3: sat
; x_bar at ties: weights sum to 1
; x_bar_distributed at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (<= 0 (+ |1| (- 1))))
(assert (<= 0 (+ |0| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (= (|array x/3| |3| |6| |7|) |value 1|))
(assert (= 0 |4|))
(assert (= 0 |5|))
(assert (not false))
(check-sat)

; query 25, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 26, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 27, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= 0 |0|)))
(check-sat)

; query 28, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 29, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 30, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= 0 |0|)))
(check-sat)

; query 31, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 1))
(assert (<= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ 2 (- 1))))
(assert (= (|array x/3| |0| 0 |3|) |value 1|))
(assert (= 0 |1|))
(assert (= 0 |2|))
(assert (not false))
(check-sat)

; query 32, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 1))
(assert (<= 0 0))
(assert (not false))
(check-sat)

; query 33, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 1))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ 2 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (= (|array x/3| |0| |3| 0) |value 1|))
(assert (= 0 |1|))
(assert (= 0 |2|))
(assert (not false))
(check-sat)

; query 34, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 1))
(assert (not false))
(check-sat)

; query 35, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 36, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 2 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 37, z3: unsat, cvc5: unsat
; x_bar at ties: weights sum to 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 0))
(assert (<= 0 0))
(assert (not (= 0 |0|)))
(check-sat)

; query 38, z3: unsat, cvc5: unsat
; x_bar at ties: weights on winners only
; x_bar_distributed at ties: weights on winners only
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |2| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |0| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |1| (- 1))))
(assert (not (= (|array x/3| |3| |7| |8|) |value 1|)))
(assert (= (|array x/3| |3| |7| |8|) |value 1|))
(assert (= |6| |3|))
(assert (= 0 |4|))
(assert (= 0 |5|))
(assert (not false))
(check-sat)

; query 39, z3: unsat, cvc5: unsat
; x_bar at ties: weights on winners only
; x_bar_distributed at ties: weights on winners only
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (= |0| |0|))
(assert (not (= |1| |0|)))
(check-sat)

; query 40, z3: unsat, cvc5: unsat
; the loop computes the maximum
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not false))
(check-sat)

; query 41, z3: unsat, cvc5: unsat
; the loop picks the first winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= 0 |3|))
(assert (<= |3| (+ |0| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |1| (- 1))))
(assert |value 1|)
(assert (not |value 1|))
(check-sat)

; query 42, z3: unsat, cvc5: unsat
; the loop picks the first winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not |value 1|))
(check-sat)

; query 43, z3: sat
; distributed: gradient mass is kept
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (= (|array x/3| |3| |4| |5|) |value 1|))
(assert (not false))
(check-sat)

; query 44, z3: sat
; one winner: the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert |value 1|)
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (= (|array x/3| |3| |4| |5|) |value 2|))
(assert (= |3| |3|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 45, z3: unsat, cvc5: unsat
; one winner: the full-gradient VJP has mass 1
; one winner: the full-gradient VJP is the JVP's transpose
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (not (= 0 0)))
(check-sat)

; query 46, z3: sat
; the full-gradient VJP has mass 1
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (= (|array x/3| |3| |4| |5|) |value 1|))
(assert (= |3| |3|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 47, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (<= 0 0)))
(check-sat)

; query 48, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 49, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 50, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (not (= |0| |0|)))
(check-sat)

; query 51, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (= 0 0)))
(check-sat)

; query 52, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (not (<= 0 0)))
(check-sat)

; query 53, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 54, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 55, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= |0| |0|)))
(check-sat)

; query 56, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (not (= 0 0)))
(check-sat)

; query 57, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (= (|array x/3| |0| 0 |1|) |value 1|))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 58, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (not false))
(check-sat)

; query 59, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (= (|array x/3| |0| |1| 0) |value 1|))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 60, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (not false))
(check-sat)

; query 61, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (not (<= 0 0)))
(check-sat)

; query 62, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 63, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 2 (- 1))))
(assert (not (= (|array x/3| |0| 0 0) (|array x/3| |0| 0 0))))
(check-sat)

; query 64, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 2 (- 1))))
(assert (not (= |0| |0|)))
(check-sat)

; query 65, z3: unsat, cvc5: unsat
; the full-gradient VJP has mass 1
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (not (= 0 0)))
(check-sat)

; query 66, z3: unsat, cvc5: unsat
; one winner: the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert |value 1|)
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (= |3| |3|))
(assert (= 0 |4|))
(assert (= 0 |5|))
(assert (not false))
(check-sat)

; query 67, z3: sat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (= |3| |3|))
(assert (= 0 0))
(assert (not (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1)))))))
(check-sat)

; query 68, z3: sat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(declare-fun |value 2| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (not (= (+ 0.0 (ite (and (= (|array x/3| |3| |4| |5|) |value 1|) (= |3| |3|) (= 0 0)) (ite (and (= (|array x/3| |3| |4| |5|) |value 1|) (= |3| |3|) (= 0 0)) 1.0 0.0) 0.0)) (+ 0.0 (ite (and |value 2| (<= 0 |4|) (<= |4| (+ |0| (- 1))) (<= 0 |5|) (<= |5| (+ |1| (- 1))) (= |3| |3|)) (ite (and |value 2| (<= 0 |4|) (<= |4| (+ |0| (- 1))) (<= 0 |5|) (<= |5| (+ |1| (- 1))) (= |3| |3|)) 1.0 0.0) 0.0) (ite (and (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))) (= |3| |3|) (= 0 |4|) (= 0 |5|)) (ite (and (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))) (= |3| |3|) (= 0 |4|) (= 0 |5|)) 1.0 0.0) 0.0)))))
(check-sat)

; query 69, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 70, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
; the JVP is the directional derivative
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (and (<= 0 0) (<= 0 (+ 1 (- 1))) (<= 0 0) (<= 0 (+ 1 (- 1))))))
(assert (not false))
(check-sat)

; query 71, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 72, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
; the JVP is the directional derivative
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (not (and (<= 0 0) (<= 0 (+ 1 (- 1))) (<= 0 0) (<= 0 (+ 1 (- 1))))))
(assert (not false))
(check-sat)

; query 73, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (not (= 0 0)))
(check-sat)

; query 74, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not (not (and (<= 0 1) (<= 0 0)))))
(check-sat)

; query 75, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (= 0 0))
(assert (not (= 0 |0|)))
(check-sat)

; query 76, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not (= 0 |2|)))
(check-sat)

; query 77, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (not (and (<= 0 1) (<= 0 0))))
(assert (not (= 0 0)))
(check-sat)

; query 78, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= (|array x/3| |0| |1| |2|) |value 1|))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 79, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= |0| |0|))
(assert (not (not (and (<= 0 1) (<= 0 0)))))
(check-sat)

; query 80, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= 0 |0|)))
(check-sat)

; query 81, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= |0| |0|))
(assert (not (= 0 |2|)))
(check-sat)

; query 82, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert |value 1|)
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (= |0| |0|))
(assert (= (|array x/3| |0| |1| |2|) |value 2|))
(assert (not false))
(check-sat)

; query 83, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
; the JVP is the directional derivative
(reset)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (not (and (<= 0 1) (<= 0 0))))
(assert (not false))
(check-sat)

; query 84, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (= 0 0)))
(check-sat)

; query 85, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not (not (and (<= 0 0) (<= 0 1)))))
(check-sat)

; query 86, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not (= 0 |1|)))
(check-sat)

; query 87, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (= 0 0))
(assert (not (= 0 |0|)))
(check-sat)

; query 88, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (and (<= 0 0) (<= 0 1))))
(assert (not (= 0 0)))
(check-sat)

; query 89, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= (|array x/3| |0| |1| |2|) |value 1|))
(assert (= |0| |0|))
(assert (= 0 0))
(assert (not false))
(check-sat)

; query 90, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (not (not (and (<= 0 0) (<= 0 1)))))
(check-sat)

; query 91, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (not (= 0 |1|)))
(check-sat)

; query 92, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= 0 |0|)))
(check-sat)

; query 93, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert |value 1|)
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (= (|array x/3| |0| |1| |2|) |value 2|))
(assert (not false))
(check-sat)

; query 94, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
; the JVP is the directional derivative
(reset)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (not (and (<= 0 0) (<= 0 1))))
(assert (not false))
(check-sat)

; query 95, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 2 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (= |0| |0|))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 96, z3: unsat, cvc5: unsat
; the full-gradient VJP is the JVP's transpose
; the JVP is the directional derivative
(reset)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (not (and (<= 0 0) (<= 0 (+ 1 (- 1))) (<= 0 0) (<= 0 (+ 1 (- 1))))))
(assert (not false))
(check-sat)

; query 97, z3: sat
; one winner: the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert |value 1|)
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (not (= (|array x/3| |3| |4| |5|) |value 2|)))
(check-sat)

; query 98, z3: unsat, cvc5: unsat
; one winner: the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert |value 1|)
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not false))
(check-sat)

; query 99, z3: sat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (not (= (|array x/3| |3| |4| |5|) |value 1|)))
(check-sat)

; query 100, z3: sat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert |value 1|)
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (= (|array x/3| |3| |4| |5|) |value 2|))
(assert (not false))
(check-sat)

; query 101, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 102, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 1 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 103, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 2 (- 1))))
(assert (not (= (|array x/3| |0| |1| |2|) |value 1|)))
(check-sat)

; query 104, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |1| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert |value 1|)
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (= (|array x/3| |0| 0 |1|) |value 2|))
(assert (not false))
(check-sat)

; query 105, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |1| () Int)
(declare-fun |array x_dot/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 1 1))
(assert (>= 2 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert |value 1|)
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (= (|array x_dot/3| |0| 0 |1|) |value 2|))
(assert (not false))
(check-sat)

; query 106, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 1| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (not (= (|array x/3| |0| |1| |2|) |value 1|)))
(check-sat)

; query 107, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |1| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert |value 1|)
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (= (|array x/3| |0| |1| 0) |value 2|))
(assert (not false))
(check-sat)

; query 108, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |1| () Int)
(declare-fun |array x_dot/3| (Int Int Int) Real)
(declare-fun |value 2| () Real)
(assert (>= 2 1))
(assert (>= 1 1))
(assert (>= 0 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 0 (- 1))))
(assert |value 1|)
(assert (<= 0 |1|))
(assert (<= |1| (+ 2 (- 1))))
(assert (<= 0 0))
(assert (<= 0 (+ 1 (- 1))))
(assert (= (|array x_dot/3| |0| |1| 0) |value 2|))
(assert (not false))
(check-sat)

; query 109, z3: unsat, cvc5: unsat
; the JVP is the directional derivative
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |array x/3| (Int Int Int) Real)
(assert (>= 1 1))
(assert (>= 1 1))
(assert (>= 2 0))
(assert (<= 0 |0|))
(assert (<= |0| (+ 2 (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ 1 (- 1))))
(assert (not (= (|array x/3| |0| |1| |2|) (|array x/3| |0| 0 0))))
(check-sat)

; query 110, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (not (< |0| 1)))
(check-sat)

; query 111, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (<= 0 (+ (* 1 |0|) |1| (* (- 1) 0)))))
(check-sat)

; query 112, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (< (+ (* 1 |1|) |2| (* (- 1) 0)) |0|)))
(check-sat)

; query 113, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (<= |0| |1|)))
(check-sat)

; query 114, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |2| (+ |0| |1| (- 1)))))
(check-sat)

; query 115, z3: unsat, cvc5: unsat
; k = n pooling: forward
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= |1| |3|))
(assert (<= |3| (+ |0| |1| (- 1))))
(assert (not (<= 0 |3|)))
(check-sat)

; query 116, z3: unsat, cvc5: unsat
; k = n pooling: forward
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= |1| |3|))
(assert (<= |3| (+ |0| |1| (- 1))))
(assert (not (<= |3| (+ |0| (- 1)))))
(check-sat)

; query 117, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (= |1| (+ |1| |0|))))
(check-sat)

; query 118, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (= |1| (+ (* 1 |0|) |1| (* (- 1) 0)))))
(check-sat)

; query 119, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (or (= |2| 0) (= |2| 1)))
(assert (or (= |0| 1) (= |1| 0)))
(assert (not (or (= (ite (= |2| 1) 1 |0|) 1) (= |1| 0))))
(check-sat)

; query 120, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Real)
(declare-fun |4| () Real)
(declare-fun |5| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (or (= |2| 0) (= |2| 1)))
(assert (or (= |0| 1) (= |1| 0)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (<= |3| |4|)))
(assert (not (or (not (and (= (ite (= |2| 1) 1 |0|) 1) (= |1| 1))) (<= |3| (ite (and (= |2| 1) (or (= |0| 0) (> |5| |4|))) |5| |4|)))))
(check-sat)

; query 121, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Real)
(declare-fun |5| () Real)
(declare-fun |6| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (or (= |2| 0) (= |2| 1)))
(assert (or (= |3| 0) (= |3| 1)))
(assert (or (= |0| 1) (= |1| 0)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (<= |4| |5|)))
(assert (or (not (and (= |0| 1) (= |1| 1))) (= |2| 0) (< |4| |5|)))
(assert (not (or (not (and (= (ite (= |3| 1) 1 |0|) 1) (= |1| 1))) (= (ite (and (= |3| 1) (or (= |0| 0) (> |6| |5|))) 1 |2|) 0) (< |4| (ite (and (= |3| 1) (or (= |0| 0) (> |6| |5|))) |6| |5|)))))
(check-sat)

; query 122, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (= (ite (= |1| 1) 1 |0|) 1) (= |1| 0))))
(check-sat)

; query 123, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (not (and (= (ite (= |1| 1) 1 |0|) 1) (= |1| 1))) (<= |2| (ite (and (= |1| 1) (or (= |0| 0) (> |2| |3|))) |2| |3|)))))
(check-sat)

; query 124, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (not (and (= (ite (= |1| 1) 1 |0|) 1) (= |1| 1))) (= 0 0) (< |2| (ite (and (= |1| 1) (or (= |0| 0) (> |2| |3|))) |2| |3|)))))
(check-sat)

; query 125, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (= (ite (= |1| 1) 1 |0|) 0) (= (ite (= |1| 1) 1 |0|) 1))))
(check-sat)

; query 126, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (not (and (= |1| 1) (or (= |0| 0) (> |2| |3|)))) (and (= |1| 1) (= (ite (= |1| 1) 1 |0|) 1)))))
(check-sat)

; query 127, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Real)
(declare-fun |3| () Real)
(assert (or (= |0| 0) (= |0| 1)))
(assert (or (= |1| 0) (= |1| 1)))
(assert (not (or (and (= |1| 1) (or (= |0| 0) (> |2| |3|))) (= (ite (= |1| 1) 1 |0|) |0|))))
(check-sat)

; query 128, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (not (<= 0 (+ (* 1 |0|) 0 (* (- 1) 0)))))
(check-sat)

; query 129, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (< (+ (* 1 |1|) 0 (* (- 1) 0)) |0|)))
(check-sat)

; query 130, z3: unsat, cvc5: unsat
; k = n pooling: JVP
; k = n pooling: VJP, one winner
(reset)
(assert (not (= 1 1)))
(check-sat)

; query 131, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (< |1| |0|))
(assert (not (<= |1| (+ |0| (- 1)))))
(check-sat)

; query 132, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| 0))
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not (not (and (<= (* (- 1) |3|) (+ |1| (* (- 1) |3|) (- 1))) (<= (* (- 1) |3|) (+ |1| (- 1))) (<= 0 (+ |1| (* (- 1) |3|) (- 1))) (<= 0 (+ |1| (- 1))) (<= (* (- 1) |2|) (+ |0| (* (- 1) |2|) (- 1))) (<= (* (- 1) |2|) (+ |0| (- 1))) (<= 0 (+ |0| (* (- 1) |2|) (- 1))) (<= 0 (+ |0| (- 1)))))))
(check-sat)

; query 133, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| 0))
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not (= 0 1)))
(check-sat)

; query 134, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= 0 1))
(assert (not (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1)))))))
(check-sat)

; query 135, z3: unsat, cvc5: unsat
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (not (= 0 (+ (* 1 |0|) 0 (* (- 1) 0)))))
(check-sat)

; query 136, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (= |1| |1|))
(assert (not (< |1| |0|)))
(check-sat)

; query 137, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| |quotient 1|))
(assert (<= 0 |7|))
(assert (<= |7| |quotient 2|))
(assert (= |3| |3|))
(assert (not (not |value 1|)))
(assert (not (< |6| 1)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (< (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (> (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 138, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| |quotient 1|))
(assert (<= 0 |7|))
(assert (<= |7| |quotient 2|))
(assert (= |3| |3|))
(assert (not (not |value 1|)))
(assert (not (< |7| 1)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (< (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (> (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 139, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (= 1 1))
(assert (<= 0 |1|))
(assert (< |1| |0|))
(assert (not (<= |1| (+ |0| (- 1)))))
(check-sat)

; query 140, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |6| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert |value 1|)
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 (+ |4| (* (- 1) |6|))))
(assert (<= (+ |4| (* (- 1) |6|)) |quotient 1|))
(assert (<= 0 (+ |5| (* (- 1) |7|))))
(assert (<= (+ |5| (* (- 1) |7|)) |quotient 2|))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (<= 0 (+ (* 1 (+ |4| (* (- 1) |6|))) |6| (* (- 1) 0))))
(assert (<= 0 (+ (* 1 (+ |5| (* (- 1) |7|))) |7| (* (- 1) 0))))
(assert (< (+ (* 1 (+ |4| (* (- 1) |6|))) |6| (* (- 1) 0)) |0|))
(assert (< (+ (* 1 (+ |5| (* (- 1) |7|))) |7| (* (- 1) 0)) |1|))
(assert (<= 0 |8|))
(assert (<= |8| (+ |0| (- 1))))
(assert (<= 0 |9|))
(assert (<= |9| (+ |1| (- 1))))
(assert (not (<= (+ |4| (* (- 1) |6|)) |8|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (< (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (> (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 141, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (<= 0 (+ |1| (* (- 1) |2|))))
(assert (<= (+ |1| (* (- 1) |2|)) |quotient 1|))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= 0 (+ (* 1 (+ |1| (* (- 1) |2|))) |2| (* (- 1) 0))))
(assert (< (+ (* 1 (+ |1| (* (- 1) |2|))) |2| (* (- 1) 0)) |0|))
(assert (= 1 1))
(assert (<= 0 |3|))
(assert (<= |3| (+ |0| (- 1))))
(assert (not (<= |3| (+ |0| |1| (* (- 1) |2|) (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 142, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |value 1| () Bool)
(declare-fun |6| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert |value 1|)
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 (+ |4| (* (- 1) |6|))))
(assert (<= (+ |4| (* (- 1) |6|)) |quotient 1|))
(assert (<= 0 (+ |5| (* (- 1) |7|))))
(assert (<= (+ |5| (* (- 1) |7|)) |quotient 2|))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (<= 0 (+ (* 1 (+ |4| (* (- 1) |6|))) |6| (* (- 1) 0))))
(assert (<= 0 (+ (* 1 (+ |5| (* (- 1) |7|))) |7| (* (- 1) 0))))
(assert (< (+ (* 1 (+ |4| (* (- 1) |6|))) |6| (* (- 1) 0)) |0|))
(assert (< (+ (* 1 (+ |5| (* (- 1) |7|))) |7| (* (- 1) 0)) |1|))
(assert (<= 0 |8|))
(assert (<= |8| (+ |0| (- 1))))
(assert (<= 0 |9|))
(assert (<= |9| (+ |1| (- 1))))
(assert (not (<= (+ |5| (* (- 1) |7|)) |9|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (< (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |1| (* 2 0) (* (- 1) |1|))) (> (+ |1| (* 2 0) (* (- 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 143, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (= 1 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 144, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (<= 0 (+ |0| (* (- 1) |0|)))))
(check-sat)

; query 145, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (<= (* 1 (+ |1| (* (- 1) |1|))) (+ |0| (* 2 0) (* (- 1) |0|)))))
(check-sat)

; query 146, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (<= 0 (+ (* 1 (+ |0| (* (- 1) |0|))) |0| (* (- 1) 0)))))
(check-sat)

; query 147, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< (+ (* 1 (+ |1| (* (- 1) |1|))) |1| (* (- 1) 0)) |0|)))
(check-sat)

; query 148, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (= 0 (+ |0| (* (- 1) |0|)))))
(check-sat)

; query 149, z3: unsat, cvc5: unsat
; k = n pooling: VJP, one winner
(reset)
(assert (= 0 1))
(assert (not false))
(check-sat)

; query 150, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (<= 0 |2|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 151, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (< |2| |0|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 152, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |quotient 1| |2|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 153, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |2| (+ (- |quotient 1|) (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 154, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (<= |2| (+ |0| (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 155, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (<= 0 |3|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 156, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (<= |3| (+ |0| (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 157, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (<= 0 |quotient 1|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 158, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (< |quotient 1| |0|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 159, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 4| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| 0))
(assert (<= |quotient 1| |6|))
(assert (<= |6| (+ (- |quotient 2|) (- 1))))
(assert (<= |quotient 3| |7|))
(assert (<= |7| (+ (- |quotient 4|) (- 1))))
(assert |value 1|)
(assert (not (<= 0 |6|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |4| |0|)) (< (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |4| |0|)) (> (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (< (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (> (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |5| |1|)) (< (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |5| |1|)) (> (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (< (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (> (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 160, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 4| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| 0))
(assert (<= |quotient 1| |6|))
(assert (<= |6| (+ (- |quotient 2|) (- 1))))
(assert (<= |quotient 3| |7|))
(assert (<= |7| (+ (- |quotient 4|) (- 1))))
(assert |value 1|)
(assert (not (< |6| |0|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |4| |0|)) (< (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |4| |0|)) (> (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (< (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (> (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |5| |1|)) (< (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |5| |1|)) (> (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (< (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (> (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 161, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 4| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| 0))
(assert (<= |quotient 1| |6|))
(assert (<= |6| (+ (- |quotient 2|) (- 1))))
(assert (<= |quotient 3| |7|))
(assert (<= |7| (+ (- |quotient 4|) (- 1))))
(assert |value 1|)
(assert (not (<= 0 |7|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |4| |0|)) (< (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |4| |0|)) (> (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (< (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (> (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |5| |1|)) (< (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |5| |1|)) (> (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (< (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (> (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 162, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |6| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 4| () Int)
(declare-fun |value 1| () Bool)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| 0))
(assert (<= |quotient 1| |6|))
(assert (<= |6| (+ (- |quotient 2|) (- 1))))
(assert (<= |quotient 3| |7|))
(assert (<= |7| (+ (- |quotient 4|) (- 1))))
(assert |value 1|)
(assert (not (< |7| |1|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |4| |0|)) (< (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |4| |0|)) (> (* |4| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (< (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |4| 1) |0|))) (> (- (* (+ |4| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |5| |1|)) (< (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |5| |1|)) (> (* |5| |1|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (< (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |5| 1) |1|))) (> (- (* (+ |5| 1) |1|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 163, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |quotient 4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| 0))
(assert (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1))))))
(assert (not (not (and (<= |quotient 1| (+ (- |quotient 2|) (- 1))) (<= |quotient 3| (+ (- |quotient 4|) (- 1)))))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |3| |1|)) (< (* |3| |1|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |3| |1|)) (> (* |3| |1|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |3| 1) |1|))) (< (- (* (+ |3| 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |3| 1) |1|))) (> (- (* (+ |3| 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |2| |0|)) (< (* |2| |0|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |2| |0|)) (> (* |2| |0|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 164, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |quotient 4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| 0))
(assert (not (and (<= |quotient 1| (+ (- |quotient 2|) (- 1))) (<= |quotient 3| (+ (- |quotient 4|) (- 1))))))
(assert (not (not (and (<= 0 (+ |1| (- 1))) (<= 0 (+ |0| (- 1)))))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |3| |1|)) (< (* |3| |1|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |3| |1|)) (> (* |3| |1|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |3| 1) |1|))) (< (- (* (+ |3| 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |3| 1) |1|))) (> (- (* (+ |3| 1) |1|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (* |2| |0|)) (< (* |2| |0|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (* |2| |0|)) (> (* |2| |0|) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 4|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* 1 |quotient 4|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 4|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* 1 |quotient 4|) 1)))))
(check-sat)

; query 165, z3: unsat, cvc5: unsat
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (= 0 |quotient 1|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)
