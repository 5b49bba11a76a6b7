; The queries of global_avg_pool2d_flat, in SMT-LIB 2. Each is answered on its own.

; query 1, z3: sat
; requires H ≥ 1
; requires W ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (>= |2| 0))
(assert (>= |1| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (not (not (= |1| 0))))
(check-sat)

; query 2, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; forward: divisors and logarithms
; jvp: divisors and logarithms
; vjp x_bar: divisors and logarithms
; gradient mass is kept
; flat is squeezed: forward
; flat is squeezed: JVP
; flat is squeezed: VJP
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (not (= |0| 0))))
(check-sat)

; query 3, z3: unsat, cvc5: unsat
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
; gradient mass is kept
; flat is squeezed: forward
; flat is squeezed: JVP
; flat is squeezed: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 4, z3: unsat, cvc5: unsat
; forward: reads and writes
; jvp: reads and writes
; gradient mass is kept
; flat is squeezed: forward
; flat is squeezed: JVP
; flat is squeezed: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 5, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (not (= |1| |0|)))
(check-sat)

; query 6, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |1| |0|))
(assert (not (= |0| |1|)))
(check-sat)

; query 7, z3: sat
; gradient mass is kept
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
(assert (not false))
(check-sat)

; query 8, z3: unsat, cvc5: unsat
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (= (ite (>= 0 (+ (+ |0| (- 1)) (* (- 1) 0) 1)) 0 (+ (+ |0| (- 1)) (* (- 1) 0) 1)) |0|)))
(check-sat)
